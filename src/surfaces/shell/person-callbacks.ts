import type { Approve, Grant } from '../../index.ts'
import type { AnswerInput } from '../../config.ts'
import { escapeLine, escapeText } from '../terminal/escape.ts'
import type { Questions } from './questions.ts'

/** Asks about one call, with everything that it would send (T10), and how far a yes reaches. */
export function createApprove(questions: Questions): Approve {
  return async ({ tool, args, reason }, { signal }) => {
    const answer = await questions.ask({ server: tool.server, signal }, async ({ prompts, show }) => {
      show(escapeLine(reason))
      show(escapeText(`${tool.ref} ${JSON.stringify(args, undefined, 2)}`))
      return prompts.select<Grant | 'no'>({
        message: `Call ${tool.ref}?`,
        choices: [
          { value: 'no', label: 'no' },
          { value: 'once', label: 'yes, this once' },
          { value: 'conversation', label: 'yes, as long as this shell is open' },
          { value: 'always', label: 'yes, always', hint: 'until the tool or its entry changes' },
        ],
        initial: 'no',
      })
    })
    return answer === 'refused' || answer.cancelled ? 'no' : answer.value
  }
}

/** Asks for what an entry wants to know when its server is first needed. */
export function createAnswers(questions: Questions): AnswerInput {
  return async ({ name }, { id, description, secret, choices, default: initial }) => {
    const message = `"${name}" needs ${id}${description === undefined ? '' : `: ${description}`}`
    const usual = typeof initial === 'string' ? { initial } : {}
    const answer = await questions.ask({ server: name, isOfEntry: true }, ({ prompts }) => {
      if (choices) return prompts.select({ message, choices: choices.map((value) => ({ value })), ...usual })
      return secret ? prompts.password({ message }) : prompts.text({ message, ...usual })
    })
    return answer === 'refused' || answer.cancelled ? undefined : answer.value
  }
}
