import { exampleServer } from './cross-rule.ts'
import type { CrossRule } from './cross-rule.ts'
import { isOneEdit, joinWords, skeletonOf } from './look-alike.ts'
import { popularServers } from './popular-names.ts'

/** A server whose name is almost that of one that many people use. */
export const impersonation: CrossRule = {
  id: 'XS-003',
  severity: 'medium',
  title: 'Name like that of a well-known server',
  reason: 'Names one letter away from a known one are how false packages are installed by mistake.',
  remedy: 'Compare the name, the package and its publisher with those of the server that you meant.',
  hits: [[exampleServer('githud', {})], [exampleServer('filesуstem', {})]],
  misses: [[exampleServer('github', {})], [exampleServer('gitea', {})], [exampleServer('my-github', {})]],
  find: (all) =>
    all.flatMap(({ server }) => {
      const known = resembles(server, popularServers)
      if (known === undefined) return []
      const message = `The name "${server}" is almost that of the well-known server "${known}".`
      return [{ severity: 'medium', subject: { kind: 'server', server }, pointer: '', message }]
    }),
}

/** The known name that this one imitates; none if it is itself known. */
export function resembles(name: string, known: readonly string[]): string | undefined {
  const own = joinWords(name)
  if (known.some((each) => joinWords(each) === own)) return undefined
  return known.find((each) => {
    const other = joinWords(each)
    if (skeletonOf(own) === skeletonOf(other)) return true
    return other.length >= 6 && own[0] === other[0] && isOneEdit(own, other)
  })
}
