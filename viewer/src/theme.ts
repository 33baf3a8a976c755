// Colours of the page for what is not drawn by CSS.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}
export function onTheme(listener: () => void): void {
  window.addEventListener("cradle-theme", listener);
}
