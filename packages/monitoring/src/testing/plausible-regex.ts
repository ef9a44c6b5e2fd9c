import * as fc from "fast-check";

/** Pieces of regular expressions, right and wrong; where they meet, more goes wrong. */
const pieces =
  String.raw`a b z - ^ $ . | ( (?: (?i) (?i: (?P<n> (?P<1> (?<n> (?= ) ) [ [^ [] ] ] [:alpha:] [:foo:] [: :] * + ? *? {2} {2,} {0,3} {3,2} {40} {1000} {1001} {,2} { } \d \W \b \B \z \Z \A \C \Q \E \pL \pX \p{Greek} \p{^Lu} \p{Foo} \p{ \x41 \x{42} \x{110000} \x4 \0 \12 \8 \n \t \- \] \[ \\ \y \é é 😀 a-z z-a --a \d-z a-\d`.split(
    " ",
  );

export const plausibleRegex = fc
  .array(fc.constantFrom(...pieces), { maxLength: 7 })
  .map((chosen) => chosen.join(""));
