import { fromRef } from '../../index.ts'
import type { Json, JsonObject } from '../../index.ts'
import { hashOf, listOf, mapTexts } from '../../internal.ts'
import type { Question } from '../../store.ts'
import type { Field } from '../api/form-field.ts'
import type { QuestionFacts } from '../api/question-routes.ts'
import { escapeLine, escapeText } from '../terminal/escape.ts'
import { readApproval, ruleText } from './approval-details.ts'
import { readFindings, showFindings } from './findings/shown-finding.ts'
import { inspectAddress } from './inspect-address.ts'
import { describePlace } from './place-facts.ts'
import type { ShortenPath } from './place-facts.ts'
import { readQuestionForm } from './question-form.ts'
import { decisionOf, fieldsOf, secretInAddress, shortId, textOf } from './question-texts.ts'
import { marksOf } from './tool-marks.ts'

/** What is known about a question beside the question. */
export interface QuestionContext {
  readonly shorten: ShortenPath
  readonly conversationTitle?: string | undefined
  /** This process asks it: everything of it is shown here, and may be changed before it is allowed. */
  readonly isHere?: boolean
  readonly answeredIn?: QuestionFacts['answeredIn'] | undefined
}

type Asked = QuestionFacts['asked']

/**
 * A question as every surface shows it: complete, with what the tool declares, the rule that asks and its place. Characters
 * that a reader cannot see, or that change the order of others, are made visible, because a decision depends on them.
 */
export function describeQuestion(question: Question, context: QuestionContext): QuestionFacts {
  const { id, server, conversation, state, askedAt, settledAt, answer, isWaiting } = question
  const { conversationTitle, answeredIn } = context
  const asked = describeAsked(question, context)
  const findings = readFindings(question.asked)
  const from = textOf(fieldsOf(question.asked)['from'])
  const client = textOf(fieldsOf(question.asked)['client'])
  return {
    id,
    ...(server !== undefined && { server: escapeLine(server) }),
    ...(from !== '' && { from: escapeLine(from) }),
    ...(client !== '' && { client: escapeLine(client) }),
    ...(conversation !== undefined && { conversation }),
    ...(conversationTitle !== undefined && { conversationTitle: escapeLine(conversationTitle) }),
    title: titleOf(question, asked),
    state,
    askedAt,
    ...(settledAt !== undefined && { settledAt }),
    ...(state === 'answered' &&
      answer !== undefined && { decision: words[decisionOf(answer)] ?? 'answered' }),
    ...(state === 'answered' && answeredIn !== undefined && { answeredIn }),
    isWaiting,
    asked,
    ...(findings.length > 0 && { findings: showFindings(findings) }),
    command: `plugboard answer ${shortId(question)}`,
  }
}

/** What was decided, in words. */
const words: Readonly<Record<string, string>> = {
  once: 'allowed once',
  conversation: 'allowed in the conversation',
  always: 'allowed always',
  no: 'refused',
  accept: 'answered',
  decline: 'declined',
  cancel: 'cancelled',
  'logged in': 'logged in',
}

function describeAsked({ kind, asked: json }: Question, context: QuestionContext): Asked {
  const asked = fieldsOf(json)
  const isWhole = asked['masked'] !== true
  switch (kind) {
    case 'approval':
      return describeApproval(asked, isWhole, context)
    case 'elicitation':
      return describeForm(asked)
    case 'url':
      return describePage(asked, context)
    case 'login':
      return { kind, reason: escapeText(textOf(asked['reason'])) }
    case 'sampling':
      return {
        kind,
        ...(typeof asked['model'] === 'string' && { model: escapeLine(asked['model']) }),
        ...(typeof asked['system'] === 'string' && { system: escapeText(asked['system']) }),
        messages: listOf(asked['messages']).map((message) => {
          const { role, text } = fieldsOf(message)
          return { role: role === 'assistant' ? role : 'user', text: escapeText(textOf(text)) }
        }),
        ...(typeof asked['maxTokens'] === 'number' && { maxTokens: asked['maxTokens'] }),
        isWhole,
      }
    default:
      return kind satisfies never
  }
}

function describeApproval(
  asked: JsonObject,
  isWhole: boolean,
  { shorten, isHere = false }: QuestionContext,
): Asked {
  const ref = textOf(asked['ref'])
  const args = fieldsOf(asked['args'])
  const shown = mapTexts(args, escapeText)
  const { annotations, rule } = readApproval(asked)
  // A secret that is known here is shown as a mask, and sent as it is.
  const hasSecret = asked['hasSecret'] === true
  return {
    kind: 'approval',
    ref: escapeLine(ref),
    name: escapeLine(textOf(asked['name']) || ref),
    args: shown,
    marks: [...(annotations ? marksOf(annotations) : []), ...(hasSecret ? ['holds a secret'] : [])],
    reason: escapeText(textOf(asked['reason'])),
    ...(rule && {
      rule: { text: ruleText(rule), ...(rule.origin && { place: describePlace(rule.origin, shorten) }) },
    }),
    ...(asked['grants'] !== 'once' && { always: alwaysText(ref) }),
    isWhole,
    canEdit: isHere && areShownAsSent(asked),
  }
}

/** Arguments that are not shown as they are cannot be edited: what is shown would be sent. */
export function areShownAsSent(asked: JsonObject): boolean {
  const args = fieldsOf(asked['args'])
  return isShownWhole(asked) && asked['hasSecret'] !== true && mapTexts(args, escapeText) === args
}

/** What `always` stores. It is no rule of a file: it ends when the tool or its declaration changes. */
export function alwaysText(ref: string): string {
  return `Every call of ${escapeLine(ref)} is allowed without asking, in every conversation, until the tool or its entry changes. It is kept with your approvals, not in a file of the project.`
}

function describeForm(asked: JsonObject): Asked {
  const fields = readQuestionForm(fieldsOf(asked['schema']))
  const isReadable = typeof fields !== 'string'
  const form: Field = {
    kind: 'object',
    name: '',
    title: '',
    isRequired: true,
    fields: isReadable ? fields.map(withVisibleTexts) : [],
  }
  return {
    kind: 'elicitation',
    message: escapeText(textOf(asked['message'])),
    form,
    ...(!isReadable && { unsupported: `It cannot be shown: ${fields}.` }),
  }
}

/** The texts that a person reads; values and names stay as they are sent. */
function withVisibleTexts(field: Field): Field {
  const { title, description } = field
  const texts = {
    title: escapeLine(title),
    ...(description !== undefined && { description: escapeText(description) }),
  }
  if (field.kind !== 'choice' && field.kind !== 'choices') return { ...field, ...texts }
  const options = field.options.map(({ value, title: label }) => ({ value, title: escapeLine(label) }))
  return { ...field, ...texts, options }
}

function describePage(asked: JsonObject, { isHere = false }: QuestionContext): Asked {
  const url = textOf(asked['url'])
  const message = escapeText(textOf(asked['message']))
  // The hash is that of the address that was asked for: the store may have masked a part of it.
  if (!isHere && hashOf(url) !== asked['urlHash'])
    return { kind: 'url', message, url: '', host: '', warnings: [secretInAddress] }
  const address = inspectAddress(url)
  if (typeof address === 'string')
    return { kind: 'url', message, url: '', host: '', warnings: [`Its address ${address}.`] }
  const { before, host, after, warnings } = address
  return {
    kind: 'url',
    message,
    url: escapeLine(`${before}${host}${after}`),
    host: escapeLine(host),
    warnings: warnings.map(escapeLine),
  }
}

function titleOf({ server: name = '' }: Question, asked: Asked): string {
  const server = escapeLine(name === '' ? 'A server' : name)
  switch (asked.kind) {
    case 'approval':
      return `${server} wants to run ${escapeLine(fromRef(asked.ref)?.tool ?? asked.ref)}`
    case 'elicitation':
      return `${server} asks ${countOf(asked.form)}`
    case 'url':
      return `${server} wants you to open a page`
    case 'login':
      return `${server} needs a login`
    case 'sampling':
      return `${server} wants to use the model`
    default:
      return asked satisfies never
  }
}

function countOf(form: Field): string {
  const { length } = form.kind === 'object' ? form.fields : []
  return length === 1 ? 'one thing' : length === 0 ? 'for a yes' : `${length} things`
}

/** Whether an approval or a request to the model is shown complete: only then may it be allowed (T48). */
export function isShownWhole(asked: Json): boolean {
  return fieldsOf(asked)['masked'] !== true
}
