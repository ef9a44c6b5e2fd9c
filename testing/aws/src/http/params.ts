import { AwsFailure } from "../aws-failure.ts";

/** The parameters of the Query protocol: `Filter.1.Name=vpc-id` and so on. */
export class Params {
  readonly #values: ReadonlyMap<string, string>;
  readonly #prefix: string;

  private constructor(values: ReadonlyMap<string, string>, prefix: string) {
    this.#values = values;
    this.#prefix = prefix;
  }

  static parse(body: string): Params {
    return new Params(new Map(new URLSearchParams(body)), "");
  }

  optional(name: string): string | undefined {
    return this.#values.get(`${this.#prefix}${name}`);
  }

  text(name: string): string {
    const value = this.optional(name);
    if (value !== undefined) return value;
    throw new AwsFailure("MissingParameter", `The request must contain the parameter ${name}`);
  }

  texts(name: string): string[] {
    return this.#each(name, (part) => this.optional(part));
  }

  structures(name: string): Params[] {
    const names = [...this.#values.keys()];
    return this.#each(name, (part) => {
      const prefix = `${this.#prefix}${part}.`;
      return names.some((each) => each.startsWith(prefix)) ? new Params(this.#values, prefix) : undefined;
    });
  }

  /** EC2 writes `Name.1`, IAM and STS write `Name.member.1`. */
  #each<T>(name: string, read: (part: string) => T | undefined): T[] {
    const found: T[] = [];
    for (let number = 1; ; number += 1) {
      const value = read(`${name}.${number}`) ?? read(`${name}.member.${number}`);
      if (value === undefined) return found;
      found.push(value);
    }
  }
}
