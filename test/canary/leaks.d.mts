/** All forms of the secrets in one text. */
export function formsOf(secrets: readonly string[]): string
export type Methods = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>>
export function answersOf(leak: () => string): Methods
export function answer(
  methods: Methods,
  leak: () => string,
  message: { readonly id?: unknown; readonly method?: string },
): unknown
