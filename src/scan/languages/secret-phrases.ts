import type { Phrases } from './languages.ts'

/** `Read the file`, `put the contents into`: a finding where the sentence names a secret file. */
export const readPhrases: Phrases = {
  de: /\b(?:lies|lest|lesen sie|offne|offnen sie|kopier(?:e|en sie)|gib|hol(?:e|en sie)?|ubernimm|fug(?:e|en sie)|inhalt (?:von|der|des))\b|\b(?:beginne?|zuerst|vorher|brauchst) [^.]{0,30}(?:lesen|inhalt|text)\b/,
  fr: /\b(?:lis|lisez|ouvre[zs]?|recupere[zs]?|copie[zs]?|ajoute[zs]?|extrais|contenu d[eu])\b|\ben lisant\b|\bil (?:te|vous) faut\b|\b(?:commence[zs]? par|il faut) (?:lire|ouvrir|recuperer|copier)\b|\brecopie[zs]?\b/,
  es: /\b(?:lee|lea|abre|abra|copia|copie|obten|extrae|incluye|anade|contenido del?)\b|\b(?:leyendo|empieza por leer|necesitas el contenido)\b/,
  pt: /\b(?:leia|abra|copie|obtenha|extraia|inclua|conteudo d[eoa])\b|\b(?:lendo|comece por ler|precisa do conteudo|texto da)\b/,
  it: /\b(?:leggi|apri|copia|estrai|includi|inserisci|contenuto d(?:i|el|ella))\b|\b(?:leggendo|comincia a leggere|ti serve)\b/,
  ru: /(?:прочитай|прочти|читай|открой|скопируй|извлеки|возьми|вставь|передай)(?:те)?(?=\s)|содержим[а-я]+ (?:файла|из)|(?:прочитав|понадобится содержим|текст файла)/,
  zh: /(?:先|请|首先)?(?:读取|打开|查看|复制|提取)(?!.{0,4}(?:不|未))|(?:文件)?的?内容|(?:取得|获取|拿到|得到)[^。]{0,30}(?:文字|文本|内容|数据)|写进|填进/,
  ja: /(?:読み取|読ん|読み込|開い|コピー|抽出)[^。]{0,6}(?:り、|で|り|して|し、|てください)|の内容を|(?:中身|テキスト|文字列)を/,
  ko: /(?:읽어|읽고|열어|열고|복사해|복사하고|추출해|가져와)|내용을|(?:텍스트|글|값)(?:을|를)/,
}

/** `is never read`: a promise. */
export const notRead =
  /\b(?:nie|niemals|nicht|kein[a-z]*|jamais|n'est|ne [a-z]+ pas|nunca|jamas|no se|no lee|nao|mai|non legge|non viene|never|not)\b|никогда|не (?:читает|открыва|использ)|(?:不会|不能|从不|绝不|不读|未|禁止)|(?:ません|ない(?:で|。|$))|(?:않습니다|않는다|않아|못합니다)/

/** `Enter your …`: in a question of a server. */
export const askPhrases: Phrases = {
  de: /\b(?:gib|geben sie|trag(?:e|en sie)|nenn(?:e|en sie)|wie lautet|bestatig(?:e|en sie))\b|\bein\W*$|\bwie (?:ist|heisst)\b/,
  fr: /\b(?:saisis|saisissez|entre[zs]?|indique[zs]?|donne[zs]?|tape[zs]?|quel est|confirme[zs]?)\b|\bquels? (?:est|sont)\b/,
  es: /\b(?:escribe|escriba|introduce|introduzca|ingresa|ingrese|indica|indique|cual es|confirma)\b|\bcuales? (?:es|son)\b|\bdime\b|\bdiga\b/,
  pt: /\b(?:digite|informe|insira|escreva|qual e|confirme)\b|\bquais? (?:e|sao)\b|\bdiga\b/,
  it: /\b(?:inserisci|inserisca|digita|scrivi|indica|qual e|conferma)\b|\bquali? (?:e|sono)\b|\bdimmi\b/,
  ru: /(?:введи|укажи|напиши|сообщи|подтверди)(?:те)?(?=\s)|какой у|какой|назови/,
  zh: /输入|填写|提供|告诉我|请问|是什么|是多少/,
  ja: /入力|教えて|記入|お知らせ|何ですか|教え/,
  ko: /입력|알려|적어|제공|무엇|뭐|말해/,
}

/** Passwords, keys and codes. */
const secretWords: Phrases = {
  de: /passwort|kennwort|zugangsdaten|api-?schlussel|geheimschlussel|umgebungsvariable|\btan\b|\bpin\b/,
  fr: /mots? de passe|identifiants de connexion|cles? (?:d')?api|cles? privees?|variables? d'environnement|code (?:de verification|sms|pin)/,
  es: /contrasen|claves? (?:de api|privadas?|secretas?)|credencial|variables? de entorno|codigo (?:de verificacion|sms|pin)/,
  pt: /senha|chaves? (?:de api|privadas?|secretas?)|credencia|variave[a-z]+ de ambiente|codigo (?:de verificacao|sms|pin)/,
  it: /password|chiav[ei] (?:api|privat|segret)|credenzial|variabil[ei] d'ambiente|codice (?:di verifica|sms|pin)/,
  ru: /парол|ключ[а-я]* (?:api|доступа)|учётн[а-я]+ данн|учетн[а-я]+ данн|переменн[а-я]+ окружения|код[а-я]* (?:из смс|подтвержден|из sms)|пин-?код/,
  zh: /密码|密钥|凭据|凭证|环境变量|验证码|助记词|私钥/,
  ja: /パスワード|暗証番号|認証コード|確認コード|apiキー|秘密鍵|環境変数|資格情報/,
  ko: /비밀번호|암호|인증 ?(?:번호|코드)|api ?키|개인 ?키|환경 ?변수|자격 ?증명/,
}

/** Whether a text names a password, a key or a code. */
export function namesSecret(piece: string): boolean {
  return Object.values(secretWords).some((words) => words.test(piece))
}
