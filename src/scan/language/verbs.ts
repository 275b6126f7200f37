import { toVerbWords } from './verb-forms.ts'

/** What a verb does, as far as the rules care. A verb may do several things. */
export type ActionKind =
  /** Takes data from somewhere. */
  | 'acquire'
  /** Sends data to another party. */
  | 'transmit'
  /** Puts data into an argument, a text or a file. */
  | 'pass'
  /** Uses a tool or runs a program. */
  | 'call'
  /** Sets rules aside. */
  | 'ignore'
  /** Follows rules. */
  | 'obey'
  /** Lets a person know. */
  | 'disclose'
  /** Keeps from a person. */
  | 'conceal'
  /** Requests something of a person. */
  | 'ask'
  /** Keeps for later. */
  | 'remember'
  /** Takes another part. */
  | 'become'
  /** Chooses between tools. */
  | 'prefer'
  /** Recognizes texts; what follows is mentioned, not said. */
  | 'detect'
  /** Removes or changes for good. */
  | 'destroy'
  /** Gives a permission. */
  | 'allow'
  /** Gives something another value. */
  | 'alter'

const verbs: Readonly<Record<ActionKind, string>> = {
  acquire:
    'read open cat load fetch get retrieve obtain collect gather grab copy extract dump look inspect view find locate access scan harvest capture list enumerate print pull take search check examine export query download acquire consult scrape sample source lift peek snapshot review parse see compile recall',
  transmit:
    'send forward post upload submit transmit relay email mail bcc cc push publish report deliver share leak exfiltrate sync synchronize mirror transfer beacon ping route stream message text dispatch broadcast ship copy pipe convey tweet fax notify replicate divert redirect archive back donate wire hand drop',
  pass: 'include pass put place add append attach embed insert supply provide give set fill populate store encode paste write enclose prepend quote carry contain record hand echo repeat reproduce transcribe summarize summarise restate enter return output feed serialize serialise stuff tuck drop supplement accompany hold save submit specify paraphrase mirror prefix list recite disclose reveal share state compile describe recap retell report appear travel accompany',
  call: 'call invoke run execute use trigger launch perform start query consult issue visit open navigate browse download install',
  ignore:
    'ignore disregard forget override bypass skip discard drop neglect overlook abandon dismiss supersede replace suspend disable cancel overrule circumvent void unlearn erase nullify revoke negate violate break relax lift deprioritize sidestep reset overwrite outrank trump',
  obey: 'follow obey apply adhere comply honor honour respect heed observe abide consider enforce stick keep listen believe trust',
  disclose:
    'tell mention inform notify show reveal disclose say report display announce explain alert surface expose communicate acknowledge describe discuss share admit note bring refer let state point warn advise indicate confirm list raise comment speak talk repeat present print flag narrate document summarize cite log',
  conceal:
    'hide conceal omit suppress withhold mask cover keep leave obscure bury exclude silence strip scrub erase disguise',
  ask: 'ask prompt request seek wait confirm demand require query obtain get',
  remember:
    'remember memorize memorise store save persist record write add append commit note keep retain learn update register edit create insert install',
  become:
    'act pretend become behave assume impersonate roleplay consider adopt switch enter simulate operate play respond',
  prefer: 'prefer prioritize prioritise favor favour choose select pick rank default',
  detect:
    'detect flag block classify filter reject identify recognize recognise refuse match catch moderate report scan test check sanitize sanitise',
  destroy:
    'delete remove erase drop wipe destroy purge overwrite truncate kill terminate format disable revoke uninstall',
  allow: 'approve accept allow grant authorize authorise agree permit consent click',
  alter:
    'change set replace redirect double modify swap rewrite adjust route switch substitute alter raise lower convert point',
}

/** Verbs that only help to find the subject or the mood. */
const others = 'make do be begin continue ensure proceed complete finish answer respond reply work'

const kindsByLemma = new Map<string, Set<ActionKind>>()
for (const [kind, words] of Object.entries(verbs) as [ActionKind, string][])
  for (const word of words.split(' ')) {
    const kinds = kindsByLemma.get(word) ?? new Set()
    kindsByLemma.set(word, kinds.add(kind))
  }

export const verbWords = toVerbWords([...kindsByLemma.keys(), ...others.split(' ')])

const noKinds: ReadonlySet<ActionKind> = new Set()

export function kindsOf(lemma: string): ReadonlySet<ActionKind> {
  return kindsByLemma.get(lemma) ?? noKinds
}
