// Colours of the page for what is not drawn by CSS.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}
/** What the page is drawn in; paper is light whatever the screen is. */
export function isDark(): boolean {
  if (matchMedia("print").matches) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
export function onTheme(listener: () => void): void {
  window.addEventListener("cradle-theme", listener);
}
/** Nothing should move by itself. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
