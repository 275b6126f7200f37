import type { PromptPart } from '../../../agent.ts'
import { HostError } from '../../../index.ts'
import type { Host, ResourcePart } from '../../../index.ts'
import { isList, isObject, untrustedMark } from '../../../internal.ts'
import type { StoredMessage } from '../../../store.ts'
import { fence } from '../../terminal/fence.ts'
import type { RouteInput } from '../../api/api.ts'
import type { Handlers } from '../handler.ts'
import { talkOf } from './talk.ts'

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const base64 = /^[A-Za-z0-9+/]+={0,2}$/
const maxImageBytes = 5 * 1024 * 1024
const maxAttached = 20
const maxResourceText = 256 * 1024
const maxContext = 16_000

export const turnHandlers = {
  'POST /api/conversations/:conversation/turns': async (context, { params, body }, { signal }) => {
    const talk = talkOf(context)
    const conversation = await talk.find(params.conversation)
    const { id } = conversation
    context.desk.beginAction()
    await talk.entitle(conversation, body.text)
    const live = await talk.open(id)
    const prompt = await readPrompt(live.host, body, signal)
    live.send(prompt)
    const [row] = await talk.rows([await talk.find(id)])
    return { conversation: row as NonNullable<typeof row> } // one row for each
  },

  'DELETE /api/conversations/:conversation/turns': async (context, { params }) => {
    const talk = talkOf(context)
    const { id } = await talk.find(params.conversation)
    await (await talk.live(id))?.stop()
    const [conversation] = await talk.rows([await talk.find(id)])
    return { conversation: conversation as NonNullable<typeof conversation> } // one row for each
  },

  'POST /api/conversations/:conversation/undo': async (context, { params }) => {
    const talk = talkOf(context)
    const { id } = await talk.find(params.conversation)
    const live = await talk.open(id)
    if (live.isRunning) throw new HostError('usage', {}, 'A turn is running. Stop it first.')
    const before = live.agent.messages()
    const removed = await live.undo()
    const first = removed === 0 ? undefined : before[before.length - removed]
    talk.changed(id)
    return { removed, ...(first && { prompt: textOf(first) }) }
  },
} satisfies Partial<Handlers>

type TurnBody = RouteInput<'POST /api/conversations/:conversation/turns'>['body']

/** The message with its images, and the content of the resources that it names. */
async function readPrompt(
  host: Host,
  { text, images = [], resources = [], contexts = [] }: TurnBody,
  signal: AbortSignal,
): Promise<string | readonly PromptPart[]> {
  if (images.length + resources.length + contexts.length > maxAttached)
    throw new HostError('usage', {}, `A message has at most ${maxAttached} images, resources and apps.`)
  for (const { mediaType, data } of images) checkImage(mediaType, data)
  const parts: PromptPart[] = images.map((image) => ({ type: 'image', ...image }))
  for (const { server, uri } of resources) {
    const content = await host.read(uri, { server, signal })
    parts.push(...content.map((part) => toPart(uri, part)))
  }
  parts.push(...contexts.map(({ server, text: told }) => toContext(server, told)))
  return parts.length === 0 ? text : [{ type: 'text', text }, ...parts]
}

/** The person saw it beside their message; the model is told whose words they are. */
function toContext(server: string, told: string): PromptPart {
  const text = told.slice(0, maxContext)
  return { type: 'text', text: `From the app of ${server}, not from the person:\n${fence(text)}` }
}

function checkImage(mediaType: string, data: string): void {
  if (!imageTypes.includes(mediaType))
    throw new HostError('usage', {}, `A model takes no ${mediaType}: only ${imageTypes.join(', ')}.`)
  if (data.length % 4 !== 0 || !base64.test(data))
    throw new HostError('usage', {}, 'The data of an image has to be base64.')
  if (data.length * 0.75 > maxImageBytes) throw new HostError('usage', {}, 'An image has at most 5 MB.')
}

function toPart(uri: string, part: ResourcePart): PromptPart {
  if (part.kind === 'text') {
    const isCut = part.text.length > maxResourceText
    const note = isCut ? `\n[The first ${maxResourceText} characters of ${part.text.length}.]` : ''
    const text = `${untrustedMark(part)}Content of ${uri}:\n${fence(part.text.slice(0, maxResourceText))}${note}`
    return { type: 'text', text }
  }
  if (part.kind === 'blob' && part.mimeType !== undefined && imageTypes.includes(part.mimeType))
    return { type: 'image', mediaType: part.mimeType, data: part.blob }
  const why = part.kind === 'too-large' ? 'it is too large' : 'it is no text and no image'
  throw new HostError('usage', {}, `${uri} is not attached: ${why}.`)
}

/** The text of a prompt, to write it again. */
function textOf({ content }: StoredMessage): string {
  if (typeof content === 'string') return content
  const [first] = isList(content) ? content : []
  return isObject(first) && typeof first['text'] === 'string' ? first['text'] : ''
}
