import { randomBytes } from "node:crypto";

/** Features of browsers that the console never asks for; only what it shows may be copied from it. */
const unusedFeatures = [
  "accelerometer",
  "autoplay",
  "camera",
  "clipboard-read",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "geolocation",
  "gyroscope",
  "hid",
  "idle-detection",
  "local-fonts",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "picture-in-picture",
  "publickey-credentials-create",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "storage-access",
  "usb",
  "window-management",
  "xr-spatial-tracking",
];

const permissions = [...unusedFeatures.map((feature) => `${feature}=()`), "clipboard-write=(self)"].join(
  ", ",
);

export function newNonce(): string {
  return randomBytes(18).toString("base64");
}

/**
 * The headers of everything below `/ui/`. Nothing may come from elsewhere, no script may be in the page itself, and no
 * page of others may have ours in a frame; a worker has the policy of its own file, so files have it too.
 */
export function pageHeaders(nonce?: string): Readonly<Record<string, string>> {
  return {
    "content-security-policy": policy(nonce),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": permissions,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}

function policy(nonce: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src-elem 'self'${nonce === undefined ? "" : ` 'nonce-${nonce}'`}`,
    "style-src-attr 'none'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types bowline-worker",
  ].join("; ");
}
