import { matchGlob } from '../../model/glob.ts'
import { isObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { LabelOverrides, ToolLabel } from '../../model/tool-label.ts'
import { toRef } from '../../model/tool.ts'

const reading = words(
  'get list read fetch search find query open show view browse download crawl scrape navigate look lookup describe ' +
    'summarize summarise export retrieve return give load select visit check receive watch grep cat',
)
const sending = words(
  'send post publish upload push share forward reply tweet notify invite submit say broadcast deploy pay transfer ' +
    'transmit announce',
)
/** Verbs only at the start: elsewhere in a name they are what a tool works on. */
const sendingFirst = words('email comment message release call webhook dm')
const making = words('create add open update edit write append insert set put make merge')

const strangers =
  /\b(?:web ?pages?|websites?|the web|urls?|internet|online|html|feeds?|rss|news|issues?|pull requests?|comments?|discussions?|threads?|replies|reviews?|tickets?|e-?mails?|mail|inbox|mailbox|messages?|posts?|tweets?|forums?|wiki|articles?|attachments?|invitations?|channels?|chats?|transcripts?|search results|web search|browser|page)\b/
const notPublic =
  /\b(?:files?|director(?:y|ies)|folders?|documents|notes?|drives?|databases?|tables?|sql|rows?|records?|e-?mails?|mail|inbox|mailbox|messages?|calendars?|contacts?|address books?|repositor(?:y|ies)|repos?|source code|secrets?|credentials?|tokens?|environment|accounts?|transactions?|invoices?|orders?|customers?|employees?|patients?|private|personal|internal|confidential|company|memory|knowledge graph|clipboard|photos?|passwords?|vault|crm)\b/
const outside =
  /\b(?:issues?|pull requests?|comments?|gists?|posts?|messages?|tickets?|events?|invitations?|repl(?:y|ies)|releases?|webhooks?|wiki pages?|public|reactions?|discussions?)\b/
const address = /^(?:url|uri|href|endpoint|webhook|webhook_url|target_url|page_url)$/i

/** The labels of a tool by what it says of itself. A guess: `overrides` are a person's word. */
export function labelsOf(
  server: string,
  definition: JsonObject,
  overrides: LabelOverrides = {},
): readonly ToolLabel[] {
  const { name } = definition
  const ref = typeof name === 'string' ? toRef(server, name) : ''
  const given = Object.entries(overrides).findLast(([pattern]) => matchGlob(pattern, ref))
  return given ? given[1] : guess(definition)
}

function guess({ name, description, annotations, inputSchema }: JsonObject): readonly ToolLabel[] {
  const title = typeof name === 'string' ? toWords(name.slice(0, 200)) : []
  const prose = typeof description === 'string' ? firstSentences(description) : ''
  const text = `${title.join(' ')}. ${prose}`
  const verbs = [verbOf(title), verbOf(toWords(prose))]
  const hints = isObject(annotations) ? annotations : {}
  const properties =
    isObject(inputSchema) && isObject(inputSchema['properties']) ? inputSchema['properties'] : {}
  const takesAddress = Object.keys(properties).some((key) => address.test(key))
  const reads = verbs.some((verb) => reading.has(verb))
  const isUntrusted = reads && (strangers.test(text) || takesAddress || hints['openWorldHint'] === true)
  const isPrivate = (reads || /\bsql\b/.test(text)) && notPublic.test(text)
  const sends =
    verbs.some((verb) => sending.has(verb) || sendingFirst.has(verb)) ||
    (verbs.some((verb) => making.has(verb)) && outside.test(text))
  // A request to an address that the model chooses carries whatever the address holds.
  const isOut = takesAddress
    ? reads || sends || /\brequest\b/.test(text)
    : sends && hints['readOnlyHint'] !== true
  return [
    ...(isUntrusted ? (['untrusted-in'] as const) : []),
    ...(isPrivate ? (['private-data'] as const) : []),
    ...(isOut ? (['way-out'] as const) : []),
  ]
}

/** The first or, after a prefix, the second word, if it is a verb that we know. */
function verbOf([first = '', second = '']: readonly string[]): string {
  const [one, two] = [stem(first), stem(second)]
  if (isVerb(one) || sendingFirst.has(one)) return one
  return isVerb(two) ? two : ''
}

function isVerb(word: string): boolean {
  return reading.has(word) || sending.has(word) || making.has(word)
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

function toWords(text: string): readonly string[] {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** "Fetches" and "Reads" are the verbs of descriptions; "says" and "replies" too. */
function stem(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ch|sh|ss|x)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function firstSentences(text: string): string {
  return text
    .slice(0, 400)
    .toLowerCase()
    .split(/(?<=[.!?])\s+|\n/)
    .slice(0, 2)
    .join(' ')
}
