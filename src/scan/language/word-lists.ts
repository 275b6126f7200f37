const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** The reader of a definition: a model, or the program around it. */
export const modelNouns = words(
  "you assistant assistants model models llm llms agent agents ai claude gpt chatgpt copilot gemini chatbot bot caller callers client clients host orchestrator you'll yourself cursor",
)
export const toolNouns = words(
  'tool function server service api endpoint method it this plugin command integration backend system program script library which that cli action operation we',
)
export const userNouns = words(
  'user users human humans person people customer customers operator operators owner they them anyone anybody someone somebody everyone developer client requester individual him her admin administrator reviewer participant participants',
)
export const adverbs = words(
  "also then first always just simply please now immediately automatically silently quietly never not only secretly instead next finally again ever still already at once additionally afterwards subsequently otherwise thus therefore hence either kindly beforehand too often directly further discreetly covertly invisibly transparently explicitly carefully actually really absolutely strictly definitely n't either even invariably unconditionally exactly merely so",
)
export const conjunctions = words('and or nor but plus & then yet')
export const duties = words("must should shall ought mustn't shouldn't shan't")
export const futures = words("will would won't wouldn't 'll you'll")
export const abilities = words("can could may might cannot can't couldn't")
export const negations = words(
  "not never n't no don't doesn't didn't cannot can't won't wouldn't shouldn't mustn't needn't couldn't isn't aren't wasn't without nor neither refuse refuses refused unable avoid avoids refrain stop stops cease instead rather nothing nobody dont prevents prevent forbidden prohibited",
)
/** Verbs that turn a negation around: `do not forget to …`. */
export const failing = words('forget fail hesitate neglect omit miss skip')
/** Words before `to` that make a duty of what follows. */
export const dutyGovernors = words(
  'need needs have has required require requires sure remember forget important essential mandatory necessary crucial vital imperative critical expected supposed obliged obligated asked instructed proceed careful want wants like be is are try aim job task duty responsibility care ready told compelled bound advised recommended encouraged begin start continue begins needed forced goal policy rule ought hesitate fail used neglect omit directed meant fine okay ok safe welcome free',
)
/** `allows you to`: no duty. */
export const permitting = words(
  'allow allows let lets enable enables help helps permit permits allowing enabling letting helping able used useful designed possible',
)
export const beForms = words('be been being is are was were gets get')
export const conditionals = words(
  'if when whenever once after before until unless while upon where whether as since each every prior because during',
)
/** Nouns after which a new clause may begin without a comma: `before using this tool read …`. */
export const clauseEnds = words(
  'tool tools it function this anything request call calls server answer answering responding proceeding query task operation command session time',
)
