import type { Token } from './split-words.ts'
import { kindsOf, verbWords } from './verbs.ts'
import type { ActionKind } from './verbs.ts'
import type { VerbForm } from './verb-forms.ts'
import {
  abilities,
  adverbs,
  beForms,
  clauseEnds,
  conditionals,
  conjunctions,
  duties,
  dutyGovernors,
  failing,
  futures,
  modelNouns,
  negations,
  permitting,
  toolNouns,
  userNouns,
} from './word-lists.ts'

/**
 * What a clause does with its verb: `duty` tells the reader to do it, `imperative` may also be the short form in which
 * tools are described, the others tell nothing to anyone.
 */
export type Mood = 'duty' | 'imperative' | 'statement' | 'condition' | 'permission'

export type Subject = 'model' | 'tool' | 'user' | 'none'

/** A verb of a sentence with what the words around it say about it. */
export interface Action {
  readonly lemma: string
  readonly form: VerbForm
  readonly kinds: ReadonlySet<ActionKind>
  readonly mood: Mood
  readonly subject: Subject
  readonly isNegated: boolean
  /** Index of its token. */
  readonly at: number
  readonly start: number
  readonly end: number
}

/** Words looked at on the left of a verb. */
const reach = 14
/** Words between two verbs that `and` joins. */
const joinedReach = 24

/** Finds the verbs of a sentence, from left to right. */
export function findActions(tokens: readonly Token[]): readonly Action[] {
  const actions: Action[] = []
  for (const [at, token] of tokens.entries()) {
    const word = token.kind === 'word' ? verbWords.get(token.text) : undefined
    // `NOTE: …` is a label.
    if (!word || (at === 0 && tokens[1]?.text === ':')) continue
    const kinds = kindsOf(word.lemma)
    const before = leftOf(tokens, at)
    const form = formOf(word.forms, before, tokens, at)
    const reading = isListed(tokens, at) ? listed : read(form, before, previousOf(actions, form, tokens), at)
    const isNegated = reading.isNegated ?? isNegatedBy(before, form)
    const { mood, subject } = reading
    actions.push({
      lemma: word.lemma,
      form,
      kinds,
      mood,
      subject,
      isNegated,
      at,
      start: token.start,
      end: token.end,
    })
  }
  return actions
}

/** `agents look at what it holds and quote it`: a verb is joined to one of its own form, and to no noun such as `your answer`. */
function previousOf(
  actions: readonly Action[],
  form: VerbForm,
  tokens: readonly Token[],
): Action | undefined {
  const previous = actions.at(-1)
  if (form !== 'base' || !previous) return previous
  const isNoun = ({ at, form: of }: Action) => of === 'base' && determiners.has(tokens[at - 1]?.text ?? '')
  if (previous.form !== 's' && !isNoun(previous)) return previous
  return actions.findLast((each) => each.form === 'base' && !isNoun(each)) ?? previous
}

const determiners = new Set(['the', 'a', 'an', 'your', 'its', 'their', 'our', 'every', 'each', 'any'])

/** `name, email, and phone`: a word between marks is a noun of a list. */
function isListed(tokens: readonly Token[], at: number): boolean {
  const [before, next] = [tokens[at - 1], tokens[at + 1]]
  const isAfter =
    before?.text === ',' ||
    ((before?.text === 'and' || before?.text === 'or') && tokens[at - 2]?.text === ',')
  return isAfter && (!next || next.text === ',' || next.text === 'and' || next.text === 'or')
}

const listed: Reading = { mood: 'statement', subject: 'none', isNegated: false }

interface Left {
  /** The nearest word that is no adverb; empty at the start of a clause. */
  readonly word: string
  /** Its index among `words`. */
  readonly index: number
  /** The words of the clause on the left of the verb. */
  readonly words: readonly string[]
}

/** The words of the clause on the left of a token. */
function leftOf(tokens: readonly Token[], at: number): Left {
  const words: string[] = []
  for (let index = at - 1; index >= 0 && at - index <= reach; index--) {
    const token = tokens[index]
    if (!token || (token.kind === 'mark' && token.text !== '"' && token.text !== '`')) break
    if (token.kind !== 'mark') words.unshift(token.text)
  }
  let index = words.length - 1
  while (index >= 0 && (adverbs.has(words[index] ?? '') || isManner(words[index] ?? ''))) index--
  return { word: words[index] ?? '', index, words }
}

const isManner = (word: string) =>
  word.length > 4 && word.endsWith('ly') && word !== 'reply' && word !== 'apply'

function formOf(
  forms: ReadonlySet<VerbForm>,
  { word }: Left,
  tokens: readonly Token[],
  at: number,
): VerbForm {
  if (forms.size === 1) for (const form of forms) return form
  // `read`, `put`: a participle after a form of `be`, and in `read from …` at the start of a clause.
  if (beForms.has(word) && word !== 'get') return 'past'
  const next = tokens[at + 1]?.text
  return word === '' && ((next === 'from' && tokens[at]?.text === 'read') || next === 'by') ? 'past' : 'base'
}

interface Reading {
  readonly mood: Mood
  readonly subject: Subject
  /** Absent where the words of the clause decide. */
  readonly isNegated?: boolean
}

function read(form: VerbForm, left: Left, previous: Action | undefined, at: number): Reading {
  if (form === 'past')
    return { mood: isDutyPassive(left) ? 'duty' : 'statement', subject: subjectOf(left.words) }
  if (form === 'ing') return readGerund(left, previous)
  const subject = subjectOf(left.words.slice(0, left.index + 1))
  if (form === 's') {
    const isDuty = subject === 'model' && !isConditional(left.words)
    return { mood: isDuty ? 'duty' : 'statement', subject }
  }
  return readBase(left, subject, previous, at)
}

const howOften =
  /^(?:(?:once|twice) (?:per|a|an|each|every)|(?:for|after|with|on|at|per) (?:each|every|any)) [a-z]+$/

function readBase(left: Left, subject: Subject, previous: Action | undefined, at: number): Reading {
  const { word, words, index } = left
  if (word === '') return { mood: 'imperative', subject: 'none' }
  if (conjunctions.has(word)) return readJoined(left, previous, at)
  if (word === 'please' || word === "let's" || word === "don't" || word === 'dont') {
    return index === 0 || subject === 'none' || subject === 'model'
      ? { mood: 'imperative', subject: 'none' }
      : { mood: 'statement', subject }
  }
  if (word === 'do')
    return { mood: index === 0 || subject !== 'tool' ? 'imperative' : 'statement', subject: 'none' }
  // `once per document deliver it`: how often, and no condition.
  if (howOften.test(words.join(' '))) return { mood: 'imperative', subject: 'none' }
  // `can make an assistant read it`: what could happen, not what shall.
  if (words.slice(0, index).some((each, at) => each === 'make' && abilities.has(words[at - 1] ?? '')))
    return { mood: 'permission', subject }
  if (isConditional(words) && !duties.has(word) && word !== 'to') {
    const isNew = clauseEnds.has(word) && previous !== undefined && at - previous.at <= 6
    return isNew ? { mood: 'imperative', subject: 'none' } : { mood: 'condition', subject }
  }
  if (duties.has(word)) {
    // `whenever the assistant sees a key it must …`: the pronoun is the model.
    const isModel = words[index - 1] === 'it' && previous?.subject === 'model'
    return {
      mood: subject === 'tool' && !isModel ? 'statement' : 'duty',
      subject: isModel ? 'model' : subject,
    }
  }
  if (futures.has(word)) return { mood: subject === 'model' ? 'duty' : 'statement', subject }
  if (abilities.has(word)) return { mood: 'permission', subject }
  if (word === 'to') return readInfinitive(words.slice(0, index), subject)
  if (modelNouns.has(word)) return { mood: 'duty', subject: 'model' }
  return { mood: 'statement', subject }
}

/** `read it and send it`: the second verb is read as the first. */
function readJoined(left: Left, previous: Action | undefined, at: number): Reading {
  if (!previous || previous.form === 's' || at - previous.at > joinedReach)
    return { mood: left.index === 0 || !previous ? 'imperative' : 'statement', subject: 'none' }
  if (previous.form === 'past' && previous.mood === 'statement')
    return { mood: 'statement', subject: previous.subject }
  if (previous.mood === 'condition') return { mood: 'condition', subject: previous.subject }
  const between = left.words.slice(left.index + 1)
  const isOwn =
    between.some((word) => word === 'always' || word === 'then') ||
    left.word === 'but' ||
    left.word === 'then'
  return {
    mood: previous.mood,
    subject: previous.subject,
    isNegated: between.some((word) => negations.has(word)) || (!isOwn && previous.isNegated),
  }
}

/** The words before `to`. */
function readInfinitive(words: readonly string[], subject: Subject): Reading {
  const governor = words.findLast((word) => !adverbs.has(word) && !isManner(word)) ?? ''
  if (words.some((word) => permitting.has(word))) return { mood: 'permission', subject }
  const isDuty = dutyGovernors.has(governor) || modelNouns.has(governor)
  // `it is fine to …`: the pronoun stands for nothing.
  const isEmpty = words[0] === 'it' && (words[1] === 'is' || words[1] === 'was')
  const isTool = subject === 'tool' && !isEmpty && !modelNouns.has(governor)
  const hasDoubleNegation = failing.has(governor) && words.some((word) => negations.has(word))
  return {
    mood: isDuty && !isTool && !isConditional(words) ? 'duty' : 'statement',
    subject,
    ...(hasDoubleNegation && { isNegated: false }),
  }
}

function readGerund({ word, words, index }: Left, previous: Action | undefined): Reading {
  const subject = subjectOf(words.slice(0, index + 1))
  const isStart = word === 'by' && (previous?.lemma === 'begin' || previous?.lemma === 'start')
  if (isStart && previous) return { mood: previous.mood, subject: previous.subject }
  if (word === 'without' || word === 'avoid' || word === 'stop' || word === 'from') {
    const isHindrance = word !== 'from' || words.includes('refrain') || words.includes('abstain')
    if (isHindrance)
      return { mood: previous?.mood ?? 'imperative', subject: previous?.subject ?? 'none', isNegated: true }
  }
  return { mood: conditionals.has(word) ? 'condition' : 'statement', subject }
}

/** `must be sent`, `needs to be included`, `is to be copied`, `is expected to be …`. */
function isDutyPassive({ word, words, index }: Left): boolean {
  if (!beForms.has(word)) return false
  const before = words[index - 1] ?? ''
  // `it is expected that … has been sent`
  if (word === 'been' && words.some((each) => each === 'expected' || each === 'required')) return true
  if (duties.has(before) || (adverbs.has(before) && words.slice(0, index).some((each) => duties.has(each))))
    return true
  if (word !== 'be' || before !== 'to') return false
  const governor = words[index - 2] ?? ''
  return dutyGovernors.has(governor) && !words.some((each) => permitting.has(each))
}

function subjectOf(words: readonly string[]): Subject {
  for (let index = words.length - 1; index >= 0; index--) {
    const word = words[index] ?? ''
    if (modelNouns.has(word)) return 'model'
    if (userNouns.has(word)) return 'user'
    if (toolNouns.has(word)) return 'tool'
  }
  return 'none'
}

function isConditional(words: readonly string[]): boolean {
  return (
    words.slice(0, 2).some((word) => conditionals.has(word)) || words.includes('if') || words.includes('when')
  )
}

/** Words that negate a gerund only: `stop sending`, but `stop and ask`. */
const hindrances = new Set(['stop', 'stops', 'cease', 'avoid', 'avoids', 'refrain'])

function isNegatedBy({ words }: Left, form: VerbForm): boolean {
  const recent = words.slice(-5)
  const found = recent.findLastIndex((word, index) => isNegation(word, recent[index + 1], form))
  if (found < 0) return false
  const rest = recent.slice(found + 1)
  // `not only`; `not forget to send` is a duty to send.
  return rest[0] !== 'only' && rest[0] !== 'just' && !rest.some((word) => failing.has(word) || word === 'but')
}

function isNegation(word: string, next: string | undefined, form: VerbForm): boolean {
  if (hindrances.has(word)) return form === 'ing'
  if (word === 'instead') return next === 'of'
  if (word === 'rather') return next === 'than'
  return negations.has(word) || word.endsWith("n't")
}
