/**
 * FromSchema: the type of the values a JSON Schema accepts, as far as the schema's literal
 * type determines it. An unsupported shape becomes `unknown`; the type never claims more
 * than the validator checks. Types only.
 */

/** A JSON Schema; as a literal, its type determines the type of the values. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Supports const, enum, anyOf, oneOf, nullable, objects, arrays and the simple types, nested as deep as the compiler allows. */
export type FromSchema<S> = S extends { readonly nullable: true } ? FromShape<S> | null : FromShape<S>;

/** The arguments of a tool: always an object. */
export type ArgsOf<S> = FromSchema<S> extends infer A ? (A extends object ? A : Record<string, unknown>) : never;

type FromShape<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Member)[] }
      ? FromMember<Member>
      : S extends { readonly oneOf: readonly (infer Member)[] }
        ? FromMember<Member>
        : S extends { readonly type: infer Name }
          ? FromType<Name extends readonly (infer Each)[] ? Each : Name, S>
          : unknown;

type FromMember<Member> = Member extends unknown ? FromSchema<Member> : never;

/** Distributes over the names of `type: ['string', 'null']`. */
type FromType<Name, S> = Name extends 'string'
  ? string
  : Name extends 'number' | 'integer'
    ? number
    : Name extends 'boolean'
      ? boolean
      : Name extends 'null'
        ? null
        : Name extends 'array'
          ? FromArray<S>
          : Name extends 'object'
            ? FromObject<S>
            : unknown;

type FromArray<S> = S extends { readonly items: infer Items } ? FromSchema<Items>[] : unknown[];

type FromObject<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [K in keyof Properties as K extends RequiredOf<S> ? K : never]: FromSchema<Properties[K]> } & {
        -readonly [K in keyof Properties as K extends RequiredOf<S> ? never : K]?: FromSchema<Properties[K]>;
      }
    >
  : Record<string, unknown>;

/** A list that is not a literal makes no property required. */
type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never;

/** Flattens an intersection into one object, so that editors show the arguments. */
type Flat<T> = T extends infer O ? { [K in keyof O]: O[K] } : never;
