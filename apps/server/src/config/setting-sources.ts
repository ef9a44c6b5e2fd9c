/** The places that settings come from, read but not yet understood. */
export interface SettingSources {
  /** By flag, such as `--listen`; a list has commas between its items. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: ConfigFile | undefined;
}

/** A config file, flattened: `database.url` → text. */
export interface ConfigFile {
  /** As the user named it. */
  readonly path: string;
  readonly values: ReadonlyMap<string, string>;
}

/** A value of a setting and where it is from, in the words of the user: `--listen`, `BOWLINE_LISTEN`, `server.yaml: listen`. */
export interface Given {
  readonly text: string;
  readonly source: string;
}

/** What a source calls a setting. */
interface SourceNames {
  readonly name: string;
  readonly flag: string | undefined;
  readonly variable: string;
}

/** What each source says, the strongest first. */
export function givenBy(sources: SettingSources, names: SourceNames): readonly (Given | undefined)[] {
  const { flags, environment, file } = sources;
  return [
    names.flag === undefined ? undefined : given(flags[names.flag], names.flag),
    // In a compose file or a unit, a variable that is empty is one that nobody filled in.
    given(environment[names.variable] === "" ? undefined : environment[names.variable], names.variable),
    file === undefined ? undefined : given(file.values.get(names.name), `${file.path}: ${names.name}`),
  ];
}

function given(text: string | undefined, source: string): Given | undefined {
  return text === undefined ? undefined : { text, source };
}
