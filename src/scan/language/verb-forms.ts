/** The form in which a text has a verb. */
export type VerbForm = 'base' | 's' | 'ing' | 'past'

export interface VerbWord {
  readonly lemma: string
  readonly forms: ReadonlySet<VerbForm>
}

/** Past forms that do not follow the rule. */
const irregular: Readonly<Record<string, readonly string[]>> = {
  read: ['read'],
  send: ['sent'],
  tell: ['told'],
  get: ['got', 'gotten'],
  put: ['put'],
  set: ['set'],
  let: ['let'],
  keep: ['kept'],
  hide: ['hid', 'hidden'],
  give: ['gave', 'given'],
  take: ['took', 'taken'],
  find: ['found'],
  write: ['wrote', 'written'],
  run: ['ran', 'run'],
  say: ['said'],
  show: ['showed', 'shown'],
  forget: ['forgot', 'forgotten'],
  override: ['overrode', 'overridden'],
  overwrite: ['overwrote', 'overwritten'],
  make: ['made'],
  do: ['did', 'done'],
  begin: ['began', 'begun'],
  bring: ['brought'],
  leave: ['left'],
  seek: ['sought'],
  speak: ['spoke', 'spoken'],
  withhold: ['withheld'],
  feed: ['fed'],
  see: ['saw', 'seen'],
  choose: ['chose', 'chosen'],
  grab: ['grabbed'],
  drop: ['dropped'],
  skip: ['skipped'],
  ship: ['shipped'],
  scan: ['scanned'],
  submit: ['submitted'],
  transmit: ['transmitted'],
  omit: ['omitted'],
  log: ['logged'],
  stop: ['stopped'],
  refer: ['referred'],
  prefer: ['preferred'],
  embed: ['embedded'],
  commit: ['committed'],
  copy: ['copied'],
  bcc: ["bcc'd", 'bcced'],
  swap: ['swapped'],
  permit: ['permitted'],
  cc: ["cc'd", 'cced'],
}

/** Verbs whose last consonant is doubled. */
const doubled = new Set(
  'get put set let run forget grab drop skip ship scan submit transmit omit log stop refer prefer embed commit begin swap permit'.split(
    ' ',
  ),
)

/** Every form of the verbs, with the lemmas and forms that it may be. */
export function toVerbWords(lemmas: Iterable<string>): ReadonlyMap<string, VerbWord> {
  const words = new Map<string, { lemma: string; forms: Set<VerbForm> }>()
  const add = (word: string, lemma: string, form: VerbForm) => {
    const known = words.get(word)
    if (known) known.forms.add(form)
    else words.set(word, { lemma, forms: new Set([form]) })
  }
  for (const lemma of lemmas) {
    add(lemma, lemma, 'base')
    add(thirdPerson(lemma), lemma, 's')
    add(gerund(lemma), lemma, 'ing')
    for (const past of irregular[lemma] ?? [regularPast(lemma)]) add(past, lemma, 'past')
  }
  return words
}

function thirdPerson(lemma: string): string {
  if (/(?:s|x|z|ch|sh|o)$/.test(lemma)) return `${lemma}es`
  return /[^aeiou]y$/.test(lemma) ? `${lemma.slice(0, -1)}ies` : `${lemma}s`
}

function gerund(lemma: string): string {
  if (doubled.has(lemma)) return `${lemma}${lemma.at(-1)}ing`
  return /[^eoy]e$/.test(lemma) ? `${lemma.slice(0, -1)}ing` : `${lemma}ing`
}

function regularPast(lemma: string): string {
  if (lemma.endsWith('e')) return `${lemma}d`
  return /[^aeiou]y$/.test(lemma) ? `${lemma.slice(0, -1)}ied` : `${lemma}ed`
}
