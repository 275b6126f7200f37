import type { AnalyzedText } from '../engine/analyze-text.ts'
import { isMention } from '../rules/clues.ts'
import type { Match } from '../rules/rule.ts'
import type { Sentence } from '../language/sentence.ts'
import { largePattern } from '../engine/large-pattern.ts'

/** The languages other than English whose phrases are known. */
type Language = 'de' | 'fr' | 'es' | 'pt' | 'it' | 'ru' | 'zh' | 'ja' | 'ko'

/**
 * How one family of attacks is said, by language. The texts are in lower case, and Latin letters have no accents. A phrase has
 * a verb in the form that tells a reader to do something and its object: words alone are no finding.
 */
export type Phrases = Readonly<Record<Language, RegExp>>

/** A part of every phrase, for Latin letters: few English texts have one, so nearly all texts are tested once. */
const latinSign =
  /anweisung|vorgabe|richtlinie|befehl|aufgetragen|nutzer|anwender|verlauf|nachrichten|geheim|passwort|kennwort|schick|sende |leite |lies |inhalt|bestatig|zugestimmt|instruction|consigne|directive|regle|utilisateur|envoie|envoyez|transmet|conversation |mot de passe|mots de passe|fichier|contenu|confirmation|instruccion|indicacion|regla|orden|usuari|envia|reenv|contrasen|clave|archivo|contenido|fichero|instruco|regras|orientac|ordens|senha|envie|arquivo|conteudo|istruzion|regole|ordini|direttiv|utente|invia|manda |inoltra|leggi|contenuto|conferma|cronologia|\bte dij|\bkunde|\bkundin|unter uns|ausser acht|anleitung|regeln|client|cliente|normas|norme |laisse|deixe|\bdeja|lascia |consentement|caduc|liegt vor|ohne zu fragen|senza chiedere|sin preguntar|sem perguntar|kopie|copie|copia|\bprompt d[ei]|prompt do|systemprompt|system-prompt|chatverlauf/
/** Words that nearly every sentence of these languages has, and hardly an English one has two of. */
const latinWords =
  /\b(?:de|la|le|les|el|los|las|und|nicht|que|para|por|il|che|di|non|nao|esta|este|dem|den|des|du|et|um|uma|una|un|al|del|della|ne|pas|zu|der|das|mit|fur|auf|su|tu|tua|tuo|com|con|em|en|ao|aux|au|est|est[ae]|per|ein|eine|ce|cette|ao|dir|dich|deinen|ist|wird|wurde|alles|qui|tes|vos|sont|tuoi|sono|lhe|voce|ja|ya|toda|tous)\b/g
const latin: readonly Language[] = ['de', 'fr', 'es', 'pt', 'it']

const known = new WeakMap<AnalyzedText, readonly Language[]>()

/** The languages whose phrases a text can have: by its letters, and for Latin ones by a word. */
function languagesOf(text: AnalyzedText): readonly Language[] {
  const found = known.get(text)
  if (found) return found
  const lower = text.text.toLowerCase()
  const languages: readonly Language[] = [
    ...(latinSign.test(lower) || new Set(lower.match(latinWords)).size > 1 ? latin : []),
    ...(/[\u0430-\u0451]{3}/.test(lower) ? (['ru'] as const) : []),
    ...(/[\u3041-\u30ff]/.test(lower) ? (['ja'] as const) : []),
    ...(/[\u4e00-\u9fff]{2}/.test(lower) ? (['zh'] as const) : []),
    ...(/[\uac00-\ud7a3]{2}/.test(lower) ? (['ko'] as const) : []),
  ]
  known.set(text, languages)
  return languages
}

interface PhraseOptions extends Pick<Match, 'score' | 'message'> {
  /** What a sentence needs besides the phrase. */
  readonly where?: (sentence: Sentence, piece: string, language: Language) => boolean
}

/** The sentences that say something in one of the phrases. A sentence that quotes it is no finding. */
export function findPhrases(
  text: AnalyzedText,
  phrases: Phrases,
  { score, message, where = () => true }: PhraseOptions,
): readonly Match[] {
  const languages = languagesOf(text)
  if (languages.length === 0 || text.isFlag) return []
  return text.sentences.flatMap((sentence): readonly Match[] => {
    // A full stop of Chinese and Japanese has no blank behind it.
    for (const piece of sentence.lower.split(/。|(?<=[\u3041-\u9fff])[!?]/))
      for (const language of languages) {
        const match = largePattern(phrases[language]).exec(piece)
        if (
          !match ||
          !where(sentence, piece, language) ||
          isMention(sentence, sentence.lower.indexOf(match[0]))
        )
          continue
        if (sentence.isQuoted(sentence.lower.indexOf(match[0]))) continue
        return [{ score, message, evidence: sentence.text }]
      }
    return []
  })
}

/** The first sentence of a description says what the tool does. One of Chinese or Japanese may hold the next ones too. */
export function isOpening({ index, lower }: Sentence, piece: string): boolean {
  return index === 0 && lower.startsWith(piece)
}
