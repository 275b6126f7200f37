import type { Phrases } from './languages.ts'

/** What a model was told: by its developer or operator, or in its own instructions. A finding only beside `voidedWords`. */
export const givenWords: Phrases = {
  de: /\b(?:was|alles,? was) (?:man )?(?:dir|ihnen) [^.]{0,50}(?:aufgetragen|gesagt|befohlen|vorgegeben|mitgegeben|auferlegt|beigebracht|erklart)|\bdeine[rnms]? (?:[a-z]+ )?(?:anweisung|vorgabe|regel|richtlinie|auftrag|befehl|grundsatz|leitlinie|schranke|grenze)[a-z]*|\b(?:regel|anweisung|vorgabe|auftrag|grenze)[a-z]* (?:deines|deiner|des|der|vom) (?:betreiber|entwickler|hersteller|system|anbieter)[a-z]*/,
  fr: /\bce (?:qu'on|que l'on|que [^.]{1,30}|qui) (?:t'|te |vous )[^.]{0,40}|\b(?:celles?|ceux|regle|consigne|instruction|ordre|directive|limite)s? (?:de |du |des )(?:ton|ta|tes|votre|vos|l')? ?(?:developpeu|operateu|createu|concepteu|systeme|fabricant|editeu)[a-z]*|\b(?:tes|vos) (?:[a-z]+ )?(?:consigne|instruction|regle|ordre|directive|limite)s/,
  es: /\blo que te (?:mand|dij|orden|pid|indic|ensen|encarg)[a-z]*|\btus (?:[a-z]+ )?(?:instruccion|regla|norma|orden|directri|limite|indicacion)[a-z]*|\b(?:regla|instruccion|norma|orden|limite)[a-z]* (?:de tu|de tus|del|de la|de los) (?:desarrollador|operador|creador|sistema|empresa|fabricante)[a-z]*/,
  pt: /\bo que [^.]{0,40}(?:lhe|te) (?:ped|mand|diss|orden|foi|ensin)[a-z]*|\b(?:suas|tuas) (?:[a-z]+ )?(?:instruc|regra|norma|orden|diretri|orientac|limit)[a-z]*|\b(?:regra|instruc|norma|orden|limit)[a-z]* d[oae]s? (?:seu |sua |teu )?(?:desenvolvedor|operador|criador|sistema|fabricante)[a-z]*/,
  it: /\b(?:cio|quello|quanto) (?:che )?ti [^.]{0,40}(?:dett|chiest|ordinat|insegnat|affidat|imposto)|\b(?:le tue|i tuoi) (?:[a-z]+ )?(?:istruzion|regol|ordin|direttiv|limit|indicazion)[a-z]*|\b(?:istruzion|regol|ordin|direttiv|limit)[a-z]* (?:del tuo|dei tuoi|dello|dell'|del) ?(?:sviluppator|operator|creator|sistema|produttor)[a-z]*/,
  ru: /(?:что|чему|чего) (?:тебе|вам|тебя|вас|от тебя) [^.]{0,30}(?:велел|сказал|говорил|приказ|поруч|просил|учил|требовал)[а-я]*|(?:^|[\s,])(?:тво|ваш)(?:и|их|им|ими)\s(?:[а-я]+ )?(?:инструкц|указани|правил|команд|распоряжени|ограничени|установк)[а-я]*|(?:правил|инструкц|указани|требовани|ограничени)[а-я]* (?:тво[а-я]+ |сво[а-я]+ )?(?:разработчик|оператор|систем|создател|владел)[а-я]*/,
  zh: /(?:给|对|向|让|要求|叫)你[^。]{0,8}(?:规定|规则|指令|指示|要求|命令|设定|约束|限制|规矩|话)|你(?:收到|得到|被告知|被要求|接到|原有|原来|之前|以前|的)[^。]{0,8}(?:规定|规则|指令|指示|要求|命令|设定|约束|限制|规矩)/,
  ja: /(?:受け|与えられ|言われ|指示され|命じられ|課され)[^。]{0,6}(?:指示|命令|ルール|規則|指令|制約|制限|約束|方針)|(?:開発者|運営者|システム|作成者|あなた)[のがか][^。]{0,10}(?:指示|命令|ルール|規則|指令|制約|制限|方針)/,
  ko: /(?:받은|들은|주어진|내려진|개발자|운영자|시스템|너의|당신의)[^.]{0,10}(?:지시|지침|명령|규칙|제한|제약|원칙)/,
}

/** Words that set it aside, or put the text itself in its place. */
export const voidedWords: Phrases = {
  de: /\b(?:nicht (?:mehr|langer)|hinfallig|vergiss|vergessen sie|ignorier[a-z]*|missacht[a-z]*|uberholt|ungultig|nichtig|ausser kraft|aufgehoben|nur noch|setz[a-z]* [^.]{0,20}hinweg)\b/,
  fr: /\b(?:caduc|caduque|perime|annule|abroge)[a-z]*|\b(?:nulles?|oublie[zs]?|ignore[zs]?|neglige[zs]?)\b|\bne (?:valent|vaut|comptent|compte|tiennent|tient|s'appliquent|s'applique|te|t'|vous) [^.]{0,16}(?:plus|pas|lie)|\bplus (?:valable|en vigueur)|\b(?:seules?|uniquement|seulement) (?:les|ce|ces|a ce) [^.]{0,24}(?:texte|serveur|outil)/,
  es: /\bcaso omiso|\b(?:olvid|ignor|descart|desobedec|desoye|desoi)[a-z]*|\bya no|\bsin efecto|\b(?:anulad|derogad|cancelad)[a-z]*|\bno (?:cuentan|valen|rigen|cuenta|vale|rige)\b|\bobedece(?:r)? (?:solo|unicamente)|\bdejan? de (?:valer|contar|regir)/,
  pt: /\b(?:esquec|ignor|desconsider|descart|desobedec)[a-z]*|\bja nao|\bnao (?:valem|vale|contam|conta|vigoram|se aplicam)|\bsem efeito|\b(?:anulad|revogad|cancelad)[a-z]*|\bobedeca (?:so|apenas|somente)|\bquem manda\b/,
  it: /\bnon (?:valgono|vale|contano|conta|si applicano|si applica|[a-z]+ piu)|\b(?:dimentic|ignor|scart|disobbed)[a-z]*|\b(?:annullat|decadut|superat|revocat|abolit)[a-z]*|\bobbedisci (?:solo|soltanto|unicamente)/,
  ru: /не (?:действу|имеет силы|имеют силы|считает)[а-я]*|забуд[а-я]*|(?:про)?игнорир[а-я]*|отмен[а-я]*|недействительн[а-я]*|больше не|утратил[а-я]*|(?:слушай|слушайся|подчиняйся|следуй)(?:те)? только/,
  zh: /作废|失效|无效|忽略|无视|忘|不再|取消|不算|只听|只服从|只遵|抛|废除|解除/,
  ja: /無効|無視|忘れ|破棄|取り消|従わな|だけに従|のみに従|解除|撤回/,
  ko: /무시|잊|무효|따르지|효력|취소|버리|만 ?따르|만 ?따라|폐기|해제/,
}

/** Whose files and messages it is about, all of them: beside an address in one sentence, whatever the verb is. */
export const bulkWords: Phrases = {
  de: /\b(?:alle|jede[nrs]?|samtliche|ganze[nrs]?|komplette[nrs]?) (?:[a-z]+ )?(?:datei|dokument|nachricht|mail|kundendat|daten|notiz|vertrag|kontakt|bild|unterlag)[a-z]*/,
  fr: /\b(?:chaque|tous les|toutes les|tout le|toute la|l'ensemble des) (?:[a-z]+ )?(?:fichier|document|message|mail|courriel|donnee|note|contrat|contact|image)s?/,
  es: /\b(?:cada|todos los|todas las|todo el|toda la) (?:[a-z]+ )?(?:archivo|fichero|documento|mensaje|correo|dato|nota|contrato|contacto|imagen)[a-z]*/,
  pt: /\b(?:cada|todos os|todas as|todo o|toda a) (?:[a-z]+ )?(?:arquivo|ficheiro|documento|mensage|e-?mail|dado|nota|contrato|contato|image)[a-z]*/,
  it: /\b(?:ogni|tutti i|tutte le|tutto il|tutta la) (?:[a-z]+ )?(?:file|document|messaggi|mail|dat|not|contratt|contatt|immagin)[a-z]*/,
  ru: /(?:кажд|все|всю|весь)[а-я]* (?:[а-я]+ )?(?:файл|документ|сообщен|письм|данн|заметк|договор|контакт|переписк)[а-я]*/,
  zh: /(?:所有|全部|每个|每份|每一)[^。]{0,6}(?:文件|文档|消息|邮件|数据|笔记|合同|联系人|图片|记录)/,
  ja: /(?:すべて|全て|全部|各|毎回)の?[^。]{0,6}(?:ファイル|文書|メッセージ|メール|データ|メモ|契約|連絡先|画像)/,
  ko: /(?:모든|각|전체)[^.]{0,6}(?:파일|문서|메시지|메일|데이터|메모|계약|연락처|이미지)/,
}

/** Secrets that lie somewhere: in the browser, in variables, with the person. */
export const storedWords: Phrases = {
  de: /\b(?:gespeichert|hinterlegt|abgelegt|browser|umgebungsvariable|nutzer|benutzer|anwender|rechner)[a-z]*/,
  fr: /\b(?:enregistre|stocke|memorise|navigateur|variables? d'environnement|utilisateur|machine)[a-z]*/,
  es: /\b(?:guardad|almacenad|navegador|variables? de entorno|usuari|maquina)[a-z]*/,
  pt: /\b(?:guardad|armazenad|salv|navegador|variave[a-z]+ de ambiente|usuari|utilizador|maquina)[a-z]*/,
  it: /\b(?:salvat|memorizzat|browser|variabil[ei] d'ambiente|utent|macchina)[a-z]*/,
  ru: /(?:сохран[её]н|браузер|переменн[а-я]+ окружения|пользовател|компьютер)[а-я]*/,
  zh: /保存|存储|浏览器|环境变量|用户|电脑/,
  ja: /保存|ブラウザ|環境変数|利用者|ユーザー?|端末/,
  ko: /저장|브라우저|환경 ?변수|사용자|컴퓨터/,
}
