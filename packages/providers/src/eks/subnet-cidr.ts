import { BowlineError } from "@bowline/core";

/** The smallest subnet of AWS has a prefix of 28, and the public ones are sixteenths. */
const [shortestPrefix, longestPrefix] = [16, 24];

/**
 * The addresses of a subnet: the first quarter of the VPC is for the public ones, four sixteenths, and each private one
 * has a quarter, as its pods have addresses of it.
 */
export function subnetCidr(vpc: string, kind: "public" | "private", number: number): string {
  const [address = "", length = ""] = vpc.split("/");
  const prefix = Number(length);
  const parts = address.split(".").map(Number);
  if (parts.some((part) => part > 255) || prefix < shortestPrefix || prefix > longestPrefix) {
    throw new BowlineError(
      "InvalidArgument",
      `The range ${vpc} does not do for a VPC: its prefix has to be between ${shortestPrefix} and ${longestPrefix}.`,
    );
  }
  const start = parts.reduce((sum, part) => sum * 256 + part, 0);
  const size = 2 ** (32 - prefix);
  const [step, bits] = kind === "public" ? [size / 16, prefix + 4] : [size / 4, prefix + 2];
  const first = start - (start % size) + step * (kind === "public" ? number - 1 : number);
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".")}/${bits}`;
}
