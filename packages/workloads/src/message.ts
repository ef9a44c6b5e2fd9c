/** Statuses hold this many characters of a message. */
const longestMessage = 1_000;

/** A text of the cluster, with room for what to do about it; or a whole message. */
export function shortened(text: string, longest: number = longestMessage): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
