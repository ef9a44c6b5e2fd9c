/** Text of at most so many characters, which says by its end that something was left off. */
export function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
