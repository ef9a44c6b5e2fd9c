/** The most of one text that is put on the page; what is longer is cut, and says how long it is. */
const maxShown = 2_000;

/** Marks that reorder or hide text, so that something looks like something else; the one that makes emoji is none. */
const invisible = /(?!\uFE0F)\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]/gu;
const control = /\p{Cc}/gu;
const loneSurrogate = /\p{Cs}/gu;
/** U+2400 and what follows are pictures of the control characters. */
const controlPictures = 0x2400;
const deletePicture = "\u2421";

/**
 * Text from a cluster, for one line of the page: whatever cannot be seen is shown as a symbol. Nothing else makes text
 * of others safe to look at; React makes it safe to insert.
 */
export function cleanText(text: string, limit: number = maxShown): string {
  const shown = text.length > limit ? text.slice(0, limit) : text;
  const clean = shown
    .replaceAll(control, pictureOf)
    .replaceAll(loneSurrogate, "\uFFFD")
    .replaceAll(invisible, "\uFFFD");
  return text.length > limit ? `${clean}… (${text.length} characters)` : clean;
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x7f) return deletePicture;
  return code < 0x20 ? String.fromCharCode(controlPictures + code) : "\uFFFD";
}
