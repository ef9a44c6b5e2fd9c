/** An argument of a command: other than in the rest of a unit file, systemd puts variables there. */
export function quoted(argument: string): string {
  return quotedWord(argument.replaceAll("$", "$$$$"));
}

/** One of a list: systemd takes C-style quotes, and % has a meaning to it. */
function quotedWord(word: string): string {
  const escaped = word.replaceAll("%", "%%");
  return /^[\w./:=@%$,+-]+$/u.test(escaped) ? escaped : `"${escaped.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}

export interface UnitOptions {
  readonly name: string;
  readonly installation: string;
  readonly command: readonly string[];
  readonly data: string;
  /** Of the whole machine, rather than of a user who is signed in. */
  readonly isSystem: boolean;
}

/**
 * The server as systemd runs it: it may write in its data folder, and nowhere else. A unit of a user cannot be kept in
 * namespaces on every machine, so that only what needs none is asked for there.
 */
export function systemdUnit({ name, installation, command, data, isSystem }: UnitOptions): string {
  const sandbox = [
    "NoNewPrivileges=yes",
    "RestrictSUIDSGID=yes",
    "LockPersonality=yes",
    "RestrictRealtime=yes",
    "SystemCallArchitectures=native",
    // Keys and tokens are in its memory.
    "LimitCORE=0",
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK",
  ];
  const namespaces = [
    "ProtectSystem=strict",
    // The one before leaves /root and /home as they are. The program may be there, so that they are not hidden.
    "ProtectHome=read-only",
    `ReadWritePaths=${quotedWord(data)}`,
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "ProtectControlGroups=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectKernelLogs=yes",
    "ProtectClock=yes",
    "ProtectHostname=yes",
    "CapabilityBoundingSet=",
  ];
  return `# Written by \`bowline up\`; \`bowline down ${name}\` takes it away.
[Unit]
Description=Bowline server (${name})
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart=${command.map(quoted).join(" ")}
Environment=BOWLINE_INSTALLATION=${installation}
# At its first start it shows the token of the admin, which is no line for a journal.
StandardOutput=null
# Its log goes to standard error, which would follow standard output.
StandardError=journal
UMask=0077
Restart=on-failure
RestartSec=2
# The server drains for 20 seconds.
TimeoutStopSec=40
${[...sandbox, ...(isSystem ? namespaces : [])].join("\n")}

[Install]
WantedBy=${isSystem ? "multi-user.target" : "default.target"}
`;
}
