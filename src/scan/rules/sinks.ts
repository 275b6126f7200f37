import type { Sentence } from '../language/sentence.ts'
import { largePattern } from '../engine/large-pattern.ts'

const exampleHost =
  /(?:^|[@./])(?:example\.(?:com|org|net)|localhost|127\.0\.0\.1|your-?\w{0,20}\.(?:com|org))\b|\.(?:test|invalid|localhost)\b/
const address =
  /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\d|\.\d)|\b[a-z0-9-]{2,40}(?:\[\.\]|\(\.\)| dot )[a-z]{2,10}\b|\b[\w.-]{2,40}(?: \(?at\)? |\[at\])[\w-]{2,30}(?: \(?dot\)? |\.)[a-z]{2,8}\b/
const phone = /(?<![\w.])\+\d[\d ()-]{7,18}\d(?!\w)/
const host =
  /\b(?:[a-z0-9-]{1,40}\.){1,4}(?:com|net|org|io|dev|app|co|xyz|ru|cn|top|site|online|info|me|cloud|ai|sh|cc|tk|link|click|live|pw|biz|eu|de|uk|tv|to|so)\b(?![/\\]?\w{0,20}\()/
const named =
  /\b(?:webhook|callback|collector|drop ?box|pastebin|paste site|requestbin|ngrok|telegram bot|discord (?:webhook|channel)|attacker|remote (?:server|host|endpoint)|external (?:server|host|endpoint|address|service)|outside (?:server|address|service)|public (?:pull request|issue|gist|repo(?:sitory)?|comment|channel|page|paste|post|thread|bucket|branch|wiki|url|link)|publicly)\b/
const wallet = /\b0x[0-9a-fA-F]{40}\b|\bbc1[a-z0-9]{20,60}\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b/

/** An address outside to which data can go: a URL, mail address, phone number, host, wallet or a thing like a webhook. */
export function sinkOf(sentence: Sentence): string | undefined {
  for (const { kind, text } of sentence.tokens) if (kind === 'url' || kind === 'email') return text
  const found =
    phone.exec(sentence.lower) ??
    address.exec(sentence.lower) ??
    wallet.exec(sentence.text) ??
    host.exec(sentence.lower) ??
    largePattern(named).exec(sentence.lower)
  return found?.[0]
}

export function isExampleAddress(sink: string): boolean {
  return exampleHost.test(sink.toLowerCase())
}
