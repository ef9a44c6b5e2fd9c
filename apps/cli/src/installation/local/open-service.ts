import type { Environment } from "../../command/command-context.ts";
import type { LocalOptions } from "./local-options.ts";
import type { LocalService } from "./local-service.ts";
import { composeService } from "./compose-service.ts";
import { processService } from "./process-service.ts";
import { systemdService } from "./systemd-service.ts";

interface ServicePlace {
  readonly name: string;
  readonly environment: Environment;
  readonly isSystem: boolean;
  readonly version: string;
}

export function openService(options: LocalOptions, place: ServicePlace): LocalService {
  if (options.service === "systemd") return systemdService(options, place);
  if (options.service === "compose") return composeService(options, place);
  return processService(options, place.environment);
}
