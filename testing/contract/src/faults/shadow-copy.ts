import type { InformerHandler } from "@bowline/kube";

/** What the test keeps of an object. */
export interface Version {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: number;
}

/**
 * A second cache, built from nothing but what an informer tells its handlers. Whatever does not fit what was told before
 * is a broken promise.
 */
export class ShadowCopy implements InformerHandler<Version> {
  readonly objects = new Map<string, Version>();
  readonly broken: string[] = [];
  told = 0;

  add(value: Version): void {
    this.told++;
    if (this.objects.has(value.name)) this.broken.push(`${value.name} was added a second time`);
    this.objects.set(value.name, value);
  }

  update(old: Version, value: Version): void {
    this.told++;
    const known = this.objects.get(value.name);
    if (known === undefined) this.broken.push(`${value.name} was updated and never added`);
    else if (!isSame(known, old))
      this.broken.push(`${value.name} was updated from a state that was never told`);
    if (old.uid !== value.uid)
      this.broken.push(`${value.name} became another object without having been deleted`);
    if (value.resourceVersion <= old.resourceVersion) {
      this.broken.push(`${value.name} went from ${old.resourceVersion} to ${value.resourceVersion}`);
    }
    this.objects.set(value.name, value);
  }

  delete(value: Version): void {
    this.told++;
    const known = this.objects.get(value.name);
    if (known === undefined) this.broken.push(`${value.name} was deleted and not there`);
    else if (known.uid !== value.uid) this.broken.push(`${value.name} was deleted as another object`);
    else if (value.resourceVersion < known.resourceVersion)
      this.broken.push(`${value.name} was deleted at an old state`);
    this.objects.delete(value.name);
  }
}

function isSame(a: Version, b: Version): boolean {
  return a.uid === b.uid && a.resourceVersion === b.resourceVersion;
}

/** How a cache differs from the truth; empty when it does not. */
export function differences(cache: Iterable<Version>, truth: Iterable<Version>): string[] {
  const cached = new Map(Array.from(cache, (version) => [version.name, version]));
  const wrong: string[] = [];
  for (const version of truth) {
    const found = cached.get(version.name);
    if (found === undefined) wrong.push(`${version.name} is missing`);
    else if (!isSame(found, version))
      wrong.push(`${version.name} is at ${found.resourceVersion}, not ${version.resourceVersion}`);
    cached.delete(version.name);
  }
  return [...wrong, ...Array.from(cached.keys(), (name) => `${name} is there and should not be`)];
}
