/** The names that RE2 has for classes of characters. */

const posix = new Set(
  "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit".split(" "),
);

/** In brackets: `[:alpha:]`. */
export function isPosixClass(name: string): boolean {
  return posix.has(name.replace(/^\^/u, ""));
}

const categories =
  "Any C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs";

/** Not all of them: which there are depends on what a collector was built with, and these all have had for long. */
const scripts =
  "Arabic Armenian Bengali Bopomofo Braille Cherokee Common Coptic Cyrillic Devanagari Ethiopic Georgian Gothic Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Inherited Kannada Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Ogham Oriya Runic Sinhala Syriac Tamil Telugu Thaana Thai Tibetan Yi";

const unicode = new Set(`${categories} ${scripts}`.split(" "));

/** As in `\p{Greek}`. */
export function isUnicodeClass(name: string): boolean {
  return unicode.has(name.replace(/^\^/u, ""));
}
