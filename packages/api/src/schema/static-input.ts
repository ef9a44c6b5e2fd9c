import type { Static, TArray, TObject, TOptional, TProperties, TSchema } from "typebox";

import type { Defaulted } from "./build.ts";

type MayBeLeftOut<Schema extends TSchema> = Schema extends TOptional | Defaulted<TSchema> ? true : false;

type OptionalKeys<Properties extends TProperties> = {
  [Key in keyof Properties]: MayBeLeftOut<Properties[Key]> extends true ? Key : never;
}[keyof Properties];

type InputProperties<Properties extends TProperties> = {
  [Key in OptionalKeys<Properties>]?: StaticInput<Properties[Key]>;
} & {
  [Key in Exclude<keyof Properties, OptionalKeys<Properties>>]: StaticInput<Properties[Key]>;
};

/** What may be written where `Static` is what is read: the same, without the fields that have a default. */
export type StaticInput<Schema extends TSchema> =
  Schema extends TObject<infer Properties>
    ? InputProperties<Properties>
    : Schema extends TArray<infer Item>
      ? StaticInput<Item>[]
      : Static<Schema>;
