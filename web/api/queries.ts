import {
  keepPreviousData,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { type Answer, ApiProblem, call, callText, type Input, type OperationName } from "./client.ts";

/** What the server refuses stays refused; what it could not answer is asked again, a few times. */
const isWorthAnother = (count: number, error: Error): boolean =>
  count < 3 && error instanceof ApiProblem && (error.status === 0 || error.status >= 500);

export const makeQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry: isWorthAnother,
        staleTime: 1000,
        refetchInterval: 60_000,
        refetchOnWindowFocus: true,
        // A machine without a network may have its own server: only asking tells.
        networkMode: "always",
      },
      mutations: { retry: false },
    },
  });

interface AskOptions {
  readonly enabled?: boolean;
  /** Shows the answer before until the new one is there: a list that is filtered does not blink. */
  readonly keep?: boolean;
  /** Read again so often, for what nobody hints at. */
  readonly everyMs?: number;
}

/** One question to the API, read again when something hints that its answer changed. */
export const useAnswer = <N extends OperationName>(
  name: N,
  input: Input<N>,
  { enabled = true, keep = false, everyMs }: AskOptions = {},
): UseQueryResult<Answer<N>, Error> =>
  useQuery<Answer<N>, Error>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, { signal }),
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    ...(keep && { placeholderData: keepPreviousData<Answer<N>> }),
  });

/** The same as text for people. */
export const useText = <N extends OperationName>(name: N, input: Input<N>): UseQueryResult<string, Error> =>
  useQuery<string, Error>({
    queryKey: [name, input, "text"],
    queryFn: ({ signal }) => callText(name, input, { signal }),
    placeholderData: keepPreviousData<string>,
  });

interface PageOf<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}
type Paged = { [N in OperationName]: Answer<N> extends PageOf<unknown> ? N : never }[OperationName];
type ItemOf<N extends Paged> = Answer<N> extends PageOf<infer T> ? T : never;

interface List<N extends Paged> {
  readonly query: UseInfiniteQueryResult<unknown, Error>;
  readonly first: Answer<N> | undefined;
  readonly items: readonly ItemOf<N>[];
}

/** A list page by page: the next one is read when somebody scrolls to its place. */
export function useList<N extends Paged>(name: N, input: Input<N>): List<N> {
  const query = useInfiniteQuery({
    queryKey: [name, input, "pages"],
    queryFn: ({ signal, pageParam }) =>
      call(name, { ...input, ...(pageParam !== null && { cursor: pageParam }) } as Input<N>, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as PageOf<unknown>).next_cursor,
    placeholderData: keepPreviousData,
  });
  const pages = query.data?.pages ?? [];
  return { query, first: pages[0], items: pages.flatMap((page) => (page as PageOf<ItemOf<N>>).items) };
}
