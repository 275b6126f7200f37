interface Pattern {
  readonly text: string
  readonly admits: boolean
}

/** What a list of patterns comes to, in words: the last match counts, and one that changes nothing is not named. */
export function inWords(patterns: readonly string[]): string {
  const [first, ...rest] = runsOf(effective(patterns.map(toPattern)))
  if (!first) return 'nothing'
  const begun = namesOf(first)
  const denies = begun === 'everything' ? ' but ' : ' but not '
  return begun + rest.map((run) => (run[0]?.admits ? ', and ' : denies) + namesOf(run)).join('')
}

function toPattern(pattern: string): Pattern {
  const admits = !pattern.startsWith('!')
  return { admits, text: admits ? pattern : pattern.slice(1) }
}

/** A denial of what nothing admitted, and an admission of what nothing denied, change nothing; `!*` undoes what was before. */
function effective(patterns: readonly Pattern[]): readonly Pattern[] {
  return patterns.reduce<readonly Pattern[]>((before, pattern) => {
    if (!pattern.admits && pattern.text === '*') return []
    const isOpposed = before.some((each) => each.admits !== pattern.admits && mayMeet(each, pattern))
    const isAdmitted = before.some((each) => each.admits && covers(each, pattern))
    const isNew = pattern.admits && !isAdmitted
    return isOpposed || isNew ? [...before, pattern] : before
  }, [])
}

/** Whether one name may fit both, as far as their beginnings tell. */
function mayMeet({ text: a }: Pattern, { text: b }: Pattern): boolean {
  const [one, other] = [beginningOf(a), beginningOf(b)]
  return a.includes('/') !== b.includes('/') || one.startsWith(other) || other.startsWith(one)
}

function covers({ text }: Pattern, { text: other }: Pattern): boolean {
  const start = beginningOf(text)
  return text === other || (text === `${start}*` && beginningOf(other).startsWith(start))
}

function beginningOf(text: string): string {
  return text.replace(/[*?].*$/s, '')
}

function runsOf(patterns: readonly Pattern[]): readonly (readonly Pattern[])[] {
  const runs: Pattern[][] = []
  for (const pattern of patterns) {
    const last = runs.at(-1)
    if (last?.[0]?.admits === pattern.admits) last.push(pattern)
    else runs.push([pattern])
  }
  return runs
}

function namesOf(run: readonly Pattern[]): string {
  return run.some(({ text }) => text === '*') ? 'everything' : run.map(({ text }) => text).join(', ')
}
