/** A string (or number) that only its own parser or generator may produce. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };
