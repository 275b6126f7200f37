import type { ApproveSample } from '../../agent.ts'
import type { AnswerInput } from '../../config.ts'
import type { Approve, Json, JsonObject, Sample } from '../../index.ts'
import { findingWarnings } from '../facts/findings/shown-finding.ts'
import { askApproval } from '../terminal/approval.ts'
import { escapeLine } from '../terminal/escape.ts'
import { indentText } from '../terminal/indent-text.ts'
import { askSample } from '../terminal/sample-approval.ts'
import { chooseResponse } from './elicit.ts'
import type { Questions } from './questions.ts'
import type { ServerUses } from './server-uses.ts'

/** @param conversation The label of an approval for the whole conversation. */
export function createApprove(questions: Questions, conversation = 'yes, while this shell is open'): Approve {
  return async (question, { signal }) => {
    const answer = await questions.ask({ server: question.tool.server, signal }, ({ prompts, show }) =>
      askApproval(question, { prompts, show, conversation }),
    )
    return answer === 'refused' || answer.cancelled ? 'no' : answer.value
  }
}

/**
 * Asks for the inputs of an entry while a line uses its server, and withdraws the question when the line ends. Otherwise
 * nothing is asked: the person may be typing a command, and the keys would become the answer.
 */
export function createAnswers(questions: Questions, uses: ServerUses): AnswerInput {
  return async ({ name }, { id, description, secret, choices, default: initial }) => {
    const signal = uses.lineOf(name)
    if (!signal) return undefined
    const message = `"${name}" needs ${id}${description === undefined ? '' : `: ${description}`}`
    const preset = typeof initial === 'string' ? { initial } : {}
    const answer = await questions.ask({ server: name, isOfEntry: true, signal }, ({ prompts }) => {
      if (choices) return prompts.select({ message, choices: choices.map((value) => ({ value })), ...preset })
      return secret ? prompts.password({ message }) : prompts.text({ message, ...preset })
    })
    return answer === 'refused' || answer.cancelled ? undefined : answer.value
  }
}

/** Asks whether a server may use the model. */
export function createSampleApproval(questions: Questions): ApproveSample {
  return async (request, { signal }) => {
    const answer = await questions.ask({ server: request.server, signal }, (dialog) =>
      askSample(request, dialog),
    )
    return answer === 'refused' || answer.cancelled ? 'no' : answer.value
  }
}

/** The shell has no model: a person sees the request for one, and answers in its place or declines (T21). */
export function createSample(questions: Questions): Sample {
  return async ({ server, params, findings }, { signal }) => {
    const answer = await questions.ask({ server, signal }, async (dialog) => {
      const { show, prompts } = dialog
      show(`"${escapeLine(server)}" sent a request to a model. The shell has none, but you can answer:`)
      const { systemPrompt, messages } = params
      if (typeof systemPrompt === 'string') show(`instructions:\n${indentText(systemPrompt)}`)
      for (const message of listOf(messages)) show(drawMessage(message))
      for (const warning of findingWarnings(findings)) show(warning)
      if ((await chooseResponse(dialog, server, { yes: 'Answer it yourself', initial: 'yes' })) !== 'yes')
        return undefined
      const typed = await prompts.text({ message: 'Your answer' })
      return typed.cancelled ? undefined : typed.value
    })
    if (answer === 'refused' || answer === undefined) return undefined
    return {
      role: 'assistant',
      content: { type: 'text', text: answer },
      model: 'a person',
      stopReason: 'endTurn',
    }
  }
}

function drawMessage(message: Json): string {
  const { role, content } = fieldsOf(message)
  const texts = listOf(Array.isArray(content) ? content : [content ?? null]).map((part) => {
    const { type, text } = fieldsOf(part)
    return typeof text === 'string' ? text : `[${typeof type === 'string' ? type : 'unknown'}]`
  })
  return `${escapeLine(typeof role === 'string' ? role : 'unknown')}:\n${indentText(texts.join('\n'))}`
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [] // isArray does not narrow a readonly union
}

function fieldsOf(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {} // checked on this line
}
