import type { Migration } from "../migration.ts";
import { initial } from "./initial.ts";

/** Every migration, oldest first. */
export const migrations: readonly Migration[] = [initial];
