import { sizeText } from "../output/size-text.ts";
import type { LocalFacts } from "./doctor-facts.ts";
import { error, note, warning, type Finding } from "./finding.ts";
import { listed } from "./spoken.ts";

const lowDiskBytes = 256 * 1_024 ** 2;

/** The data folder of a server on this machine, whether or not it runs. */
export function checkLocal(local: LocalFacts): Finding[] {
  const { folder, exists, hasDatabase } = local;
  if (!exists) {
    return [
      error(
        "data-folder",
        `There is no data folder at ${folder}.`,
        "Name that of the server with --data or BOWLINE_DATA.",
      ),
    ];
  }
  return [
    ...checkProcess(local),
    ...checkKeysFile(local),
    ...checkLocalDatabase(local),
    ...checkLocalDisk(local),
  ].concat(
    hasDatabase
      ? []
      : [
          note(
            "data-folder",
            `There is no database in ${folder}: no server was started with it, or it uses PostgreSQL.`,
            "Start it with `bowline server`, or put a backup there with `bowline restore`.",
          ),
        ],
  );
}

function checkProcess({ isInUse, isTaken, address, folder, hasDatabase }: LocalFacts): Finding[] {
  if (isInUse === true && isTaken) return [];
  if (isInUse === true) {
    return [
      warning(
        "process",
        `A process works on the database in ${folder}, and nothing listens on ${address}.`,
        "The server is starting or stopping, listens elsewhere, or another command works on the database; look at `ps` and the server's log.",
      ),
    ];
  }
  if (isTaken) {
    return [
      error(
        "port",
        `No server works on the database in ${folder}, and another program listens on ${address}.`,
        "Stop that program, or let the server listen elsewhere with --listen.",
      ),
    ];
  }
  return hasDatabase
    ? [
        error(
          "process",
          `No server runs on the data in ${folder}.`,
          "Start it, and read what it says: `bowline server`, or `systemctl status bowline`.",
        ),
      ]
    : [];
}

function checkKeysFile({ keysProblem, hasDatabase }: LocalFacts): Finding[] {
  if (keysProblem === undefined || !hasDatabase) return [];
  return [
    error(
      "encryption-keys",
      keysProblem.message,
      "Put the copy of encryption.keys back that was made of it; without it secrets in the database are lost.",
    ),
  ];
}

function checkLocalDatabase({ databaseProblem, pendingMigrations }: LocalFacts): Finding[] {
  if (databaseProblem !== undefined) {
    return [
      error(
        "database",
        databaseProblem.message,
        "Use the version of Bowline that wrote it, or restore a backup.",
      ),
    ];
  }
  if (pendingMigrations.length === 0) return [];
  return [
    note(
      "schema",
      `The database lacks changes that this version has (${listed(pendingMigrations)}).`,
      "The server makes them when it starts; make a copy of the data folder before.",
    ),
  ];
}

function checkLocalDisk({ freeBytes, folder }: LocalFacts): Finding[] {
  if (freeBytes === undefined || freeBytes >= lowDiskBytes) return [];
  return [
    error(
      "disk",
      `The disk of ${folder} has ${sizeText(freeBytes)} left.`,
      "Make room: a full disk stops the server.",
    ),
  ];
}
