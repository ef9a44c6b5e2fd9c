/** Without what looks alike; 32, so that every byte gives each of them as often. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const length = 8;

/**
 * The short code that a command line and the page where somebody agrees to it both show: made from the challenge, so that
 * somebody who was sent to the page by another command line sees another code there.
 */
export async function matchCode(challenge: string): Promise<string> {
  const bytes = new TextEncoder().encode(challenge);
  const hash = new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", bytes));
  const letters = Array.from(hash.slice(0, length), (byte) => alphabet[byte % alphabet.length]).join("");
  return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`;
}
