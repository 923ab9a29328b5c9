/** The names of the components whose products are looked after one by one; none: it has no such products. */
export const componentsIn = (work: { readonly [key: string]: unknown } | undefined): readonly string[] =>
  Array.isArray(work?.components) ? work.components.map(({ name }: { name: string }) => name) : [];
