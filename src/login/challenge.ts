/** What a server says when it wants a token, or a better one (RFC 6750, RFC 9728). */
export interface Challenge {
  readonly scheme: 'bearer' | 'dpop'
  readonly resourceMetadata?: string
  readonly scopes?: readonly string[]
  readonly error?: string
}

const longest = 8 * 1024
const part = /([\w!#$%&'*+.^`|~-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?[ \t]*,?[ \t]*/y

/** The first challenge of a scheme we know; a header may hold several. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const found: { scheme: string; values: Map<string, string> }[] = []
  const text = (header ?? '').slice(0, longest)
  part.lastIndex = 0
  for (let match = part.exec(text); match?.[1] !== undefined; match = part.exec(text)) {
    const [, name, quoted, plain] = match
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    if (value === undefined) found.push({ scheme: name.toLowerCase(), values: new Map() })
    else found.at(-1)?.values.set(name.toLowerCase(), value)
  }
  const known = found.find(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  if (!known) return undefined
  const { values, scheme } = known
  const [metadata, scope, error] = ['resource_metadata', 'scope', 'error'].map((name) => values.get(name))
  return {
    scheme: scheme === 'dpop' ? 'dpop' : 'bearer',
    ...(metadata && { resourceMetadata: metadata }),
    ...(scope && { scopes: toScopes(scope) }),
    ...(error && { error }),
  }
}

export function toScopes(text: string): readonly string[] {
  // The characters that a scope consists of (RFC 6749 3.3).
  return [...new Set(text.split(' ').filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(scope)))]
}
