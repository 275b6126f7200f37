import { toldActions } from '../engine/analyze-text.ts'
import type { AnalyzedText } from '../engine/analyze-text.ts'
import type { Sentence } from '../language/sentence.ts'

/** Clues of the whole text that make a single finding in it worse. */
export interface Clues {
  readonly isConcealed: boolean
  readonly isUrgent: boolean
}

const known = new WeakMap<AnalyzedText, Clues>()

export function cluesOf(text: AnalyzedText): Clues {
  const found = known.get(text)
  if (found) return found
  const clues = {
    isConcealed:
      text.isHidden ||
      text.sentences.some((sentence) => sentence.has('secrecy') || isConcealing(text, sentence)),
    isUrgent: text.sentences.some((sentence) => sentence.has('urgency')),
  }
  known.set(text, clues)
  return clues
}

/** Whether a sentence forbids to tell a person something. */
export function isConcealing(_text: AnalyzedText, sentence: Sentence): boolean {
  return sentence.actions.some(
    (action) =>
      action.isNegated &&
      action.kinds.has('disclose') &&
      action.mood !== 'statement' &&
      action.mood !== 'condition' &&
      sentence.has('user'),
  )
}

/** The sentence and the one after it: `Open the file. Put its text into …`. */
export function withNext(text: AnalyzedText, sentence: Sentence): readonly Sentence[] {
  const next = text.sentences[sentence.index + 1]
  return next ? [sentence, next] : [sentence]
}

/** Whether what a sentence names is given away in it or right after it. */
export function isGivenAway(text: AnalyzedText, sentence: Sentence): boolean {
  return withNext(text, sentence).some((each) => toldActions(text, each, 'transmit', 'pass').length > 0)
}

/** A sentence about texts that are recognized: what it quotes is mentioned, not said. */
export function isMention(sentence: Sentence, at: number): boolean {
  const isAboutTexts = sentence.actions.some(
    (action) =>
      action.kinds.has('detect') &&
      action.mood !== 'duty' &&
      (action.form !== 'base' || action.mood === 'imperative'),
  )
  const isNamed =
    /\b(?:such as|like|e\.g|for example|for instance|sentences?|phrases?|strings?|attempts?|patterns?|injections?|jailbreaks?|tricks|scams?|messages (?:that|which) say)\b/.test(
      sentence.lower,
    )
  return (
    (sentence.isQuoted(at) && (isAboutTexts || isNamed)) || (isAboutTexts && isNamed) || isReport(sentence)
  )
}

/** `An attacker can make an assistant read …`: a report on attacks says what others could do. */
function isReport({ lower }: Sentence): boolean {
  return /\b(?:attackers?|adversar(?:y|ies)|malicious (?:servers?|tools?|users?|actors?|descriptions?)|vulnerabilit(?:y|ies)|exploits?)\b[^.]{0,80}\b(?:can|could|may|might|to|allows?|lets?|tries|hides?|places?|writes?)\b/.test(
    lower,
  )
}

/** A report of a system call: `no such file or directory, open '/home/…'`. */
export function isSystemError({ lower }: Sentence): boolean {
  return /\b(?:enoent|eacces|eperm|no such file|permission denied|not found)\b[^.]{0,40}, (?:open|stat|lstat|scandir|access|read)\b/.test(
    lower,
  )
}
