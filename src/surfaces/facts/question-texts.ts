import { HostError } from '../../index.ts'
import type { ElicitationAnswer, Json, JsonObject } from '../../index.ts'
import { isObject, listOf, redactText } from '../../internal.ts'
import type { Question } from '../../store.ts'

/** Enough of the id to name a question. */
export function shortId({ id }: Pick<Question, 'id'>): string {
  return id.slice(0, 8)
}

/** What a question asks, in a line. */
export function summaryOf(kind: Question['kind'], asked: Json): string {
  const fields = fieldsOf(asked)
  if (kind === 'approval') return `${textOf(fields['ref'])} ${JSON.stringify(fields['args'] ?? {})}`
  if (kind === 'login') return textOf(fields['reason'])
  if (kind === 'url') return `${textOf(fields['message'])} ${textOf(fields['url'])}`
  if (kind === 'elicitation') return textOf(fields['message'])
  return textOf(fieldsOf(listOf(fields['messages'])[0])['text'])
}

/** What was decided, without what a person filled in. */
export function decisionOf(answer: Json): string {
  if (isObject(answer)) return textOf(answer['action'])
  return typeof answer === 'boolean' ? (answer ? 'logged in' : 'no') : textOf(answer)
}

/** Why an approval cannot be given where something of it is not shown (T48). */
export const notShownWhole =
  'It holds a long text, or something that looks like a secret, that is not shown here. Answer in the terminal that asked.'

/** Why other arguments than those that were asked about are not taken. */
export const notEditable =
  'Something of the arguments is not shown as it is, so they cannot be changed here. Allow the call as it is, or refuse it.'

/** Why a filled-in form cannot be passed on by the store. */
export const secretInAnswer =
  'Your answer holds something that looks like a secret, which is never stored. Answer in the terminal that asked.'

/** Why the address of a question cannot be shown. */
export const secretInAddress = 'Its address holds a secret, so it is shown only in the terminal that asked.'

export function unknownQuestion(id: string): HostError {
  return new HostError('question.unknown', { question: id }, `There is no pending question "${id}".`, {
    hint: 'See: plugboard questions',
  })
}

const ends: Readonly<Record<Question['state'], string>> = {
  pending: 'still waits',
  answered: 'was answered before',
  expired: 'has expired: what asked it does not wait for it any more',
  withdrawn: 'was withdrawn: the call that asked it was stopped',
}

export function settledBefore({ id, state, kind, asked }: Question): HostError {
  const message = `The question ${shortId({ id })} ${ends[state]}. It asked: ${summaryOf(kind, asked)}`
  return new HostError('question.settled', { question: id, state }, message)
}

/** Whether a filled-in form holds what looks like a secret. */
export function holdsSecret(given: ElicitationAnswer): boolean {
  const content = given.action === 'accept' ? (given.content ?? {}) : {}
  return Object.values(content)
    .flatMap((value) => listOf(value).concat(value))
    .some((text) => typeof text === 'string' && redactText(text) !== text)
}

export function fieldsOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
