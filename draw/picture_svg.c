/* A picture as an SVG file: every shape one element, texts stay texts. */
#include <math.h>

#include "draw/picture.h"

/* Names come from files: what XML would take for markup is written as a reference. */
static void print_text(FILE *file, const char *text) {
  for (; *text; text++) {
    if (*text == '<')
      fputs("&lt;", file);
    else if (*text == '>')
      fputs("&gt;", file);
    else if (*text == '&')
      fputs("&amp;", file);
    else
      fputc(*text, file);
  }
}

/* Two digits behind the point, without zeros that say nothing. */
static void print_number(FILE *file, double value) {
  char text[512]; /* the largest double has 309 digits, though picture.c leaves out what is that far away */
  int length = snprintf(text, sizeof text, "%.2f", isfinite(value) ? value : 0);
  while (text[length - 1] == '0') text[--length] = 0;
  if (text[length - 1] == '.') text[--length] = 0;
  fputs(text[0] == '-' && text[1] == '0' && !text[2] ? "0" : text, file);
}

static void print_attribute(FILE *file, const char *name, double value) {
  fprintf(file, " %s='", name);
  print_number(file, value);
  fputc('\'', file);
}

/* #rgb where that says it all. */
static void print_colour(FILE *file, const char *name, int colour) {
  if (colour == PICTURE_NONE)
    fprintf(file, " %s='none'", name);
  else if (((colour >> 4) & 0x0f0f0f) == (colour & 0x0f0f0f))
    fprintf(file, " %s='#%x%x%x'", name, (unsigned)colour >> 16 & 15, (unsigned)colour >> 8 & 15,
            (unsigned)colour & 15);
  else
    fprintf(file, " %s='#%06x'", name, (unsigned)colour);
}

static void print_style(FILE *file, const picture_style *style) {
  print_colour(file, "fill", style->fill);
  if (style->fill != PICTURE_NONE && style->opacity < 1) print_attribute(file, "fill-opacity", style->opacity);
  if (style->stroke == PICTURE_NONE) return;
  print_colour(file, "stroke", style->stroke);
  if (style->width != 1) print_attribute(file, "stroke-width", style->width);
  if (style->dash > 0) print_attribute(file, "stroke-dasharray", style->dash);
}

static void print_points(FILE *file, const double *xy, size_t count) {
  for (size_t i = 0; i < count; i++) {
    fputc(i == 0 ? 'M' : ' ', file); /* lines follow a move without a letter */
    print_number(file, xy[2 * i]);
    fputc(' ', file);
    print_number(file, xy[2 * i + 1]);
  }
}

static void print_words(FILE *file, const picture_shape *shape, const double *at) {
  static const char *const ANCHOR[] = {NULL, "middle", "end"};
  const picture_font *font = &shape->font;
  fputs("<text", file);
  if (font->upward) {
    fputs(" transform='translate(", file);
    print_number(file, at[0]);
    fputc(' ', file);
    print_number(file, at[1]);
    fputs(") rotate(-90)'", file);
  } else {
    print_attribute(file, "x", at[0]);
    print_attribute(file, "y", at[1]);
  }
  print_attribute(file, "font-size", font->size);
  print_colour(file, "fill", font->colour);
  if (font->bold) fputs(" font-weight='bold'", file);
  if (ANCHOR[font->anchor]) fprintf(file, " text-anchor='%s'", ANCHOR[font->anchor]);
  fputc('>', file);
  print_text(file, shape->text);
  fputs("</text>\n", file);
}

static void print_clip(FILE *file, const double *corner, int number) {
  fprintf(file, "<clipPath id='frame%d'><rect", number);
  print_attribute(file, "x", corner[0]);
  print_attribute(file, "y", corner[1]);
  print_attribute(file, "width", corner[2] - corner[0]);
  print_attribute(file, "height", corner[3] - corner[1]);
  fprintf(file, "/></clipPath>\n<g clip-path='url(#frame%d)'>\n", number);
}

static void print_shape(FILE *file, const picture *p, const picture_shape *shape, int *clips) {
  const double *at = p->point + 2 * shape->first;
  switch (shape->kind) {
    case PICTURE_POLYGON:
    case PICTURE_LINE:
      fputs("<path", file);
      print_style(file, &shape->style);
      fputs(" d='", file);
      print_points(file, at, shape->count);
      fputs(shape->kind == PICTURE_POLYGON ? "Z'/>\n" : "'/>\n", file);
      break;
    case PICTURE_CIRCLE:
      fputs("<circle", file);
      print_attribute(file, "cx", at[0]);
      print_attribute(file, "cy", at[1]);
      print_attribute(file, "r", shape->radius);
      print_style(file, &shape->style);
      fputs("/>\n", file);
      break;
    case PICTURE_TEXT: print_words(file, shape, at); break;
    case PICTURE_CLIP: print_clip(file, at, (*clips)++); break;
    case PICTURE_UNCLIP: fputs("</g>\n", file); break;
  }
}

bool picture_svg(const picture *p, FILE *file) {
  int clips = 0;
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%g' height='%g' viewBox='0 0 %g %g' font-family='sans-serif' "
          "stroke-linejoin='round'>\n",
          p->width, p->height, p->width, p->height);
  for (size_t i = 0; i < p->count; i++) print_shape(file, p, &p->shape[i], &clips);
  fputs("</svg>\n", file);
  return !ferror(file);
}
