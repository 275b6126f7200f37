import type { Action } from '../language/actions.ts'
import { Sentence } from '../language/sentence.ts'
import { splitSentences } from '../language/sentences.ts'
import { conditionals } from '../language/word-lists.ts'
import type { ActionKind } from '../language/verbs.ts'
import type { Place } from './surfaces.ts'

/** What is known about a text besides its words. */
export interface TextContext {
  readonly place: Place
  /** The parameter that the text describes. */
  readonly owner?: string
  readonly isFlag?: boolean
  /** It was encoded or invisible: such a text describes nothing to a person, so every imperative in it is for a model. */
  readonly isHidden: boolean
  /** The name and first words of the tool, in lower case: what its own business is. */
  readonly domain: string
}

/** A readable text with its sentences. */
export interface AnalyzedText extends TextContext {
  readonly text: string
  readonly sentences: readonly Sentence[]
}

export function analyzeText(text: string, context: TextContext): AnalyzedText {
  const sentences = splitSentences(text).map((segment, index) => new Sentence(segment.text, index))
  return { ...context, text, sentences }
}

/** How clearly a clause tells its reader to do something: 0 not at all, 1 in the form of an instruction, 2 beyond doubt. */
export function toldness(text: AnalyzedText, sentence: Sentence, action: Action): 0 | 1 | 2 {
  // In data, `the assistant ignores it` is a report.
  if (action.form === 's' && text.place === 'data') return 0
  if (action.mood === 'duty') return action.subject === 'user' && !sentence.isAboutModel ? 1 : 2
  if (action.mood !== 'imperative') return 0
  if (text.isHidden) return 2
  if (text.isFlag) return 0
  // No tool is described by what it must not do.
  if (action.isNegated && action.form === 'base') return isPlainlyAddressed(sentence, action) ? 2 : 1
  if (isPlainlyAddressed(sentence, action)) return 2
  if (
    text.place === 'instructions' ||
    text.place === 'data' ||
    text.place === 'value' ||
    text.place === 'meta' ||
    text.place === 'request'
  )
    return 1
  if (text.place === 'parameter' || text.place === 'name' || text.place === 'key') return 1
  // `Send a message to a channel.` at the start of a description says what the tool does.
  return sentence.index === 0 && !hasTurned(sentence, action) ? 0 : 1
}

/** The actions of a sentence that its reader is told to do, of some kinds. */
export function toldActions(
  text: AnalyzedText,
  sentence: Sentence,
  ...kinds: readonly ActionKind[]
): readonly Action[] {
  return sentence.actions.filter(
    (action) =>
      !action.isNegated &&
      kinds.some((kind) => action.kinds.has(kind)) &&
      toldness(text, sentence, action) > 0,
  )
}

/** The actions that its reader is told not to do. */
export function forbiddenActions(
  text: AnalyzedText,
  sentence: Sentence,
  ...kinds: readonly ActionKind[]
): readonly Action[] {
  return sentence.actions.filter(
    (action) =>
      action.isNegated &&
      kinds.some((kind) => action.kinds.has(kind)) &&
      toldness(text, sentence, action) > 0,
  )
}

const address =
  /\b(?:you|your|assistants?|models?|llms?|agents?|ai|claude|chatgpt|copilot)\b|\b(?:always|must|make sure|be sure|remember to|please|do not forget|important|mandatory|required)\b|\b(?:before|prior to|whenever|each time|every time|after|first|when) (?:[a-z]{1,20} ){0,4}(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?|answer(?:ing)?|respond(?:ing)?|repl(?:y|ying)|proceed(?:ing)?|tools?)\b/

function isPlainlyAddressed(sentence: Sentence, action: Action): boolean {
  const match = address.exec(sentence.lower)
  return (match !== null && match.index <= action.start) || /\byou(?:r|rself)?\b/.test(sentence.lower)
}

/** Whether the verb follows a clause that says when, such as `before using this tool, …`, or a heading with a colon. */
function hasTurned({ tokens }: Sentence, action: Action): boolean {
  const before = tokens.slice(0, action.at)
  const isAfterColon = before.some(({ text, kind }) => kind === 'mark' && text === ':')
  return isAfterColon || (before.some(({ text }) => text === ',') && conditionals.has(before[0]?.text ?? ''))
}
