const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const emoji = /^\p{RGI_Emoji}$/v;
/** The scripts that terminals draw two columns wide, except for their half-width forms. */
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;
const halfWidth = /^[\uFF61-\uFFDC]/u;
const ascii = /^[\x20-\x7E]*$/u;

let segmenter: Intl.Segmenter | undefined;

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOf(segment);
  return width;
}

function widthOf(character: string): number {
  if (zeroWidth.test(character)) return 0;
  if (halfWidth.test(character)) return 1;
  return wide.test(character) || emoji.test(character) ? 2 : 1;
}
