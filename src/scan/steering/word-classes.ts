import { stemOf } from './word-stems.ts'

/**
 * Words by what they are about. A class counts like a word, and two classes in one sentence count together: an attack in
 * words that were never seen still speaks of the conversation, an address and an argument.
 */
const words = {
  model:
    'assistant model agent llm ai bot chatbot copilot claude gpt chatgpt gemini you your yourself caller client orchestrator processor interpreter reader companion',
  person:
    "user person human people customer operator owner requester colleague employee admin administrator reviewer someone anyone participant individual them him her they staff visitor subscriber recipient sender patient student member stakeholder audience anybody everybody party their user's",
  secret:
    'password passphrase passcode pin credential secret token apikey key cookie certificate keychain keyring vault seed mnemonic wallet otp login signin ssn cvv keyfile keystore bearer oauth jwt pem private sensitive confidential netrc npmrc kubeconfig keypair',
  chat: 'conversation chat transcript dialogue dialog history message exchange thread turn discussion prompt reasoning thought context scrollback session utterance backlog wording preamble briefing',
  rules:
    'instruction rule guideline guidance policy directive constraint restriction safeguard guardrail limit training briefing mandate principle order protocol habit convention obligation default setting precaution norm configuration',
  files:
    'file folder directory document disk drive home desktop download repository repo workspace note photo clipboard contact inbox mailbox calendar spreadsheet database record table screenshot notebook dotfile archive backup ledger portfolio draft',
  send: 'send forward transmit relay upload post mail email deliver submit dispatch ship push copy mirror share sync route pipe hand convey report publish replicate duplicate redirect divert broadcast stream notify beacon ping transfer',
  put: 'include attach append embed insert add paste put place fill populate supply carry enclose quote prepend enter accompany contain incorporate fold tuck bundle weave prefix suffix encode supplement stamp hold travel',
  read: 'read open load fetch collect gather retrieve extract scan look inspect grab pull obtain list dump locate capture consult harvest enumerate examine browse view cat print peek sample snapshot glance',
  quiet:
    'silently silent quietly quiet discreetly discreet background unnoticed unobtrusive invisible hidden hide secretly covert conceal unseen invisibly transparently seamless internally unmentioned withhold suppress obscure mask bury',
  tell: 'mention tell inform notify disclose reveal surface narrate comment remark announce describe explain discuss bring attention bother burden confuse worry alarm distract display show reference acknowledge alert flag say speak raise draw visible clutter noise trouble summarize',
  negation:
    "not never no don't doesn't without avoid refrain skip omit nothing none nor cannot can't won't needn't unnecessary leave exclude drop unless hardly shouldn't isn't aren't rather stop needless",
  consent:
    'confirm confirmation approval approve permission consent agree ask accept authorize authorise authorization grant clearance okay acknowledge prompt dialog sign-off blessing double-check verify preapproved implied assume presume agreement interrupt pause wait automatically unattended',
  tools:
    'tool function connector plugin server integration call invocation capability extension endpoint api service mcp',
  other:
    'other another else elsewhere alternative compete instead rather rival different remaining sibling neighbouring unrelated built-in native',
  order:
    'first before prior begin start initially initial always every each whenever must mandatory require precede essential compulsory shall should need obligatory invariably regardless ensure important critical imperative expect',
  later:
    'future later subsequent afterwards henceforth onward permanently permanent tomorrow next remember memory profile persist keep retain lasting forever going forward standing ongoing carry remain',
  authority:
    'compliance legal security regulation regulatory audit auditor vendor provider department authority official certified mandate governance headquarters management supervisor director regulator headmaster gdpr iso soc pci hipaa directive notice bulletin maintainer developer anthropic openai',
  address:
    'URL EMAIL address endpoint host webhook destination recipient bcc cc mailbox domain collector server inbox channel external remote',
  money:
    'pay payment transfer amount price invoice bank account iban payee refund discount purchase order fee wallet beneficiary charge debit settle payout donation',
  run: 'run execute install curl bash script shell command download package npm pip sudo binary wget npx powershell launch bootstrap installer eval chmod cron patch terminal',
  code: 'code commit dependency import snippet function repository branch merge pull line header comment class module build pipeline workflow ci deploy',
  encode:
    'base64 encode encoded hex rot13 obfuscate compress split chunk reverse cipher encrypt whitespace zero-width homoglyph disguise fragment image pixel query string markdown',
  pretend:
    'pretend act role persona mode sandbox test simulation imagine suppose roleplay character hypothetical exercise drill rehearsal become identity unrestricted debug maintenance',
  parameter:
    'parameter argument field value input IDENT payload body header remark property slot attribute memo tag metadata subject placeholder',
  whole:
    'entire full whole complete all everything verbatim exact unabridged raw unredacted unedited fully entirely word-for-word literal unchanged any anything',
  previous:
    'previous earlier above preceding former beforehand far already until existing prior last recent so original',
  failure:
    'fail reject error invalid refuse break expire suspend lock lost deny block terminate penalty corrupt degrade incomplete otherwise unavailable unsuccessful',
  trust:
    'trust trusted safe verified routine harmless standard usual normal ordinary customary common legitimate expected typical simply merely just formality already',
  purpose:
    'diagnostic telemetry analytics quality improve verification validation calibration continuity troubleshooting monitoring support reconciliation personalization enrichment housekeeping traceability accuracy debugging tuning billing research compatibility',
  answer:
    'summary answer reply response report output final result explanation recap digest conclusion closing',
  apply:
    'apply follow obey comply honor honour supersede override precedence priority prevail outrank replace void lapse disregard ignore bypass govern bind adhere heed overrule outweigh supplant dismiss suspend waive relax',
  choose:
    'prefer choose select pick favor favour rely use default recommend switch route deprecated unreliable outdated inferior superior best only exclusively',
  local:
    'local machine computer laptop environment variable env system host home desktop PATH profile browser terminal os working',
  delete:
    'delete remove erase wipe drop purge destroy truncate overwrite clear cancel revoke disable discard',
  change:
    'change set replace alter modify adjust swap substitute rewrite edit raise lower double round switch update amend convert tweak',
  condition:
    'if when whenever once until unless after upon during while case contain mention keyword date weekday weekend later-than',
} as const

export type WordClass = keyof typeof words

export const wordClasses = Object.keys(words) as readonly WordClass[]

/** The indexes of the classes of each stem; words in capitals stand for a kind of token. */
export const classesByStem: ReadonlyMap<string, readonly number[]> = classify()

function classify(): ReadonlyMap<string, readonly number[]> {
  const classes = new Map<string, number[]>()
  for (const [index, name] of wordClasses.entries())
    for (const word of words[name].split(' ')) {
      const stem = /[A-Z]/.test(word) ? word : stemOf(word)
      const known = classes.get(stem) ?? []
      if (!known.includes(index)) classes.set(stem, [...known, index])
    }
  return classes
}
