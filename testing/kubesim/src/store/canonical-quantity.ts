import { isRecord } from "@bowline/core";

import type { SchemaNode } from "../schema/schema-node.ts";

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:(n|u|m|k|M|G|T|P|E)|(Ki|Mi|Gi|Ti|Pi|Ei)|[eE]([+-]?\d+))?$/;
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const smallestExponent = -9;
const largestExponent = 18;
/** Longer numbers and larger powers of ten are no amounts of anything; computing them would only take time. */
const longestQuantity = 64;
const largestPower = 40;

/** Amounts in the form the server writes them back: no fraction, and the largest unit that needs none. */
export function canonicalQuantity(quantity: string): string {
  const match = quantity.length > longestQuantity ? null : pattern.exec(quantity);
  const [, sign = "", whole = "", fraction = "", decimal, binary, exponent] = match ?? [];
  if (!match || whole + fraction === "" || Math.abs(Number(exponent ?? 0)) > largestPower) return quantity;
  const digits = BigInt(whole + fraction);
  const shown =
    binary === undefined
      ? decimalQuantity(digits, decimalExponent(decimal, exponent) - fraction.length, exponent !== undefined)
      : binaryQuantity(digits, fraction.length, binarySuffixes.indexOf(binary));
  return sign === "-" && shown !== "0" ? `-${shown}` : shown;
}

/** Rewrites every quantity that a schema describes; gives back the very same value where nothing changes. */
export function canonicalQuantities(value: unknown, schema: SchemaNode): unknown {
  if (schema.kind === "scalar") return schema.type === "quantity" ? canonicalScalar(value) : value;
  if (schema.kind === "list" && Array.isArray(value)) {
    const items = value.map((item: unknown) => canonicalQuantities(item, schema.items));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isRecord(value) || (schema.kind !== "object" && schema.kind !== "map")) return value;
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => {
    const node = schema.kind === "map" ? schema.values : schema.fields.get(key)?.node;
    return [key, node ? canonicalQuantities(child, node) : child];
  });
  return entries.every(([key, child]) => child === value[key]) ? value : Object.fromEntries(entries);
}

function canonicalScalar(value: unknown): unknown {
  return typeof value === "string" || typeof value === "number" ? canonicalQuantity(String(value)) : value;
}

function decimalExponent(suffix: string | undefined, exponent: string | undefined): number {
  if (exponent !== undefined) return Number(exponent);
  return (decimalSuffixes.indexOf(suffix ?? "") - decimalSuffixes.indexOf("")) * 3;
}

function decimalQuantity(digits: bigint, power: number, scientific: boolean): string {
  if (digits === 0n) return "0";
  let mantissa = digits;
  let exponent = power;
  // Nothing is smaller than a billionth; what is gets rounded up, so that a request is never less than asked for.
  if (exponent < smallestExponent) {
    mantissa = divideUp(mantissa, 10n ** BigInt(smallestExponent - exponent));
    exponent = smallestExponent;
  }
  while (mantissa % 10n === 0n) {
    mantissa /= 10n;
    exponent += 1;
  }
  const target = Math.min(largestExponent, Math.floor(exponent / 3) * 3);
  mantissa *= 10n ** BigInt(exponent - target);
  if (scientific) return target === 0 ? String(mantissa) : `${mantissa}e${target}`;
  return `${mantissa}${decimalSuffixes[target / 3 + decimalSuffixes.indexOf("")] ?? ""}`;
}

function binaryQuantity(digits: bigint, fractionLength: number, unit: number): string {
  const scaled = digits * 1024n ** BigInt(unit);
  let amount = divideUp(scaled, 10n ** BigInt(fractionLength));
  if (amount < 1024n) return decimalQuantity(scaled, -fractionLength, false);
  let suffix = 0;
  while (amount % 1024n === 0n && suffix < binarySuffixes.length - 1) {
    amount /= 1024n;
    suffix += 1;
  }
  return `${amount}${binarySuffixes[suffix] ?? ""}`;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
