/** Kubernetes' MicroTime: always six digits after the second. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}
