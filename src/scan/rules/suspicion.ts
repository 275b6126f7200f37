import { toldActions } from '../engine/analyze-text.ts'
import type { AnalyzedText } from '../engine/analyze-text.ts'
import type { Sentence } from '../language/sentence.ts'
import { isConcealing } from './clues.ts'
import { sinkOf } from './sinks.ts'

/** Whether a sentence tells its reader to do something with what a tool has no business with. */
export function isSuspicious(text: AnalyzedText, sentence: Sentence): boolean {
  const { path, file, variable } = sentence.secrets
  const isAboutData =
    path !== undefined ||
    file !== undefined ||
    variable !== undefined ||
    sentence.has('context') ||
    sentence.has('localData')
  // `set GITHUB_TOKEN` is how a program is configured.
  const isTold = toldActions(text, sentence, 'acquire', 'transmit', 'pass').some(
    ({ lemma }) => lemma !== 'set',
  )
  return (
    (isTold && (isAboutData || sinkOf(sentence) !== undefined)) ||
    isConcealing(text, sentence) ||
    sentence.has('secrecy')
  )
}
