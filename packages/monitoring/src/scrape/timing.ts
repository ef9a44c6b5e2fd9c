import { parsePrometheusDurationMs, readDuration } from "../check/prometheus-duration.ts";
import type { Field } from "../field/field.ts";
import type { ConfigMap } from "../model/config-value.ts";

/** When a job scrapes. Prometheus refuses a configuration in which any job times out after its interval. */
export function timing(interval: Field, timeout: Field, defaultInterval: string): ConfigMap {
  const scrapeInterval = readDuration(interval);
  const scrapeTimeout = readDuration(timeout);
  checkTimeout(timeout, scrapeTimeout, scrapeInterval ?? defaultInterval);
  return { scrape_interval: scrapeInterval, scrape_timeout: scrapeTimeout };
}

export function checkTimeout(field: Field, timeout: string | undefined, interval: string): boolean {
  if (timeout === undefined) return true;
  const fits = (parsePrometheusDurationMs(timeout) ?? 0) <= (parsePrometheusDurationMs(interval) ?? 0);
  if (!fits) {
    field.reject(
      `${field.path} is ${timeout}, longer than the interval of ${interval}.`,
      `Make the timeout ${interval} or shorter, or the interval longer.`,
    );
  }
  return fits;
}
