import type { Phrases } from './languages.ts'

/** `Send … to`: a finding where the sentence has a fixed address, or where it is the conversation that is sent. */
export const sendPhrases: Phrases = {
  de: /\b(?:schick(?:e|t|en sie)?|send(?:e|et|en sie)|ubermittl(?:e|eln sie)|ubertrag(?:e|en sie)?|leit(?:e|en sie)|post(?:e|en sie)|lad(?:e|en sie)?|kopier(?:e|en sie)|mail(?:e|en sie)|gib|hinterleg(?:e|en sie))\b|\bzu (?:senden|schicken|ubergeben|ubermitteln|ubertragen|kopieren|posten|melden)\b|\b(?:muss|mussen|soll|sollen|wird|werden) [^.]{0,60}(?:gesendet|geschickt|ubermittelt|ubertragen|kopiert)/,
  fr: /\b(?:envoie|envoyez|transmets|transmettez|expedie[zs]?|poste[zs]?|publie[zs]?|copie[zs]?|televerse[zs]?|fais suivre|faites suivre|communique[zs]?)\b|\b(?:doit|doivent|devra|faut) [^.]{0,40}(?:envoye|transmis|envoyer|transmettre|expedie|copie)/,
  es: /\b(?:envia|envie|envialo|reenvia|reenvie|manda|mande|transmite|transmita|publica|publique|sube|suba|copia|copie|remite|remita)\b|\b(?:haz llegar|haga llegar|debe|deben|hay que) [^.]{0,60}(?:llegar|enviar|mandar|remitir|copiar|[a-z]+ a )/,
  pt: /\b(?:envie|mande|transmita|encaminhe|reenvie|publique|copie|poste|suba|remeta)\b|\b(?:faca chegar|deve|devem|tem de|precisa) [^.]{0,60}(?:enviar|mandar|enviad|encaminhad|remetid|chegar)/,
  it: /\b(?:invia|inviate|manda|mandate|inoltra|inoltrate|trasmetti|spedisci|pubblica|carica|copia)\b|\b(?:va|vanno|deve essere|devono essere) (?:recapitat|inviat|spedit|inoltrat|trasmess|mandat|copiat)[a-z]*|\bfai (?:arrivare|avere)\b/,
  ru: /(?:отправь|отправляй|пошли|посылай|перешли|пересылай|передай|передавай|выгрузи|загрузи|скопируй|опубликуй)(?:те)?(?=\s)|(?:следует|нужно|надо|необходимо|должн[а-я]+ быть|должна|должен) (?:направить|отправить|переслать|передать|послать|отправлен|переслан|передан|скопирован)/,
  zh: /发送(?:到|给|至)|发到|发给|上传(?:到|至)|转发(?:到|给|至)|提交(?:到|至|给)|传送(?:到|给|至)|寄(?:到|给)|抄送|(?:邮寄|寄送|发往|传|送|汇报|同步|备份)(?:至|到|给|往)|(?:上传|转发|发送|提交|复制)[^。]{1,24}(?:到|至|给)/,
  ja: /(?:送信|送付|転送|投稿|アップロード|送っ|送り|ポスト)(?:して|し(?:なさい|ろ|、)|せよ|てください|する(?:こと|よう)|て)|(?:届け|送付し|転送し|送信し|送)(?:ること|て|なさい|よ)/,
  ko: /(?:전송|발송|업로드|전달|게시|보내|보낼)[^.]{0,4}(?:하세요|하십시오|해|하라|세요|십시오|줘|주세요|할 것)|(?:올려|보내|전해|넘겨) ?(?:두|주|놓)?(?:세요|십시오|라|어라|어)/,
}

/** What only the person and the model have: the conversation and the instructions. */
export const contextPhrases: Phrases = {
  de: /chat-?verlauf|verlauf (?:dieses|des|unseres|der) (?:[a-z]+ )?(?:gesprach|chat|dialog|sitzung|unterhaltung)|gesprachsverlauf|unterhaltung|(?:bisherigen?|alle[nr]?|vorherigen?) nachrichten|system-?prompt|systemanweisung/,
  fr: /(?:conversation|historique|(?:texte|message|consigne)s? (?:de |du )?systeme|messages precedents|prompt (?:du |de )?systeme|instructions systeme)/,
  es: /conversacion|historial|mensajes anteriores|prompt del? sistema|instrucciones del sistema/,
  pt: /conversa\b|historico|mensagens anteriores|prompt d[eo] sistema|instrucoes do sistema/,
  it: /conversazione|cronologia|messaggi precedenti|prompt di sistema|istruzioni di sistema/,
  ru: /переписк|истори[юия] (?:чата|разговора|сообщений)|разговор|системн[а-я]+ (?:промпт|подсказк|запрос)|предыдущ[а-я]+ сообщен/,
  zh: /聊天记录|对话(?:记录|历史|内容)|会话(?:记录|历史|内容)|系统提示|历史消息|之前的消息/,
  ja: /会話(?:の)?(?:履歴|内容|全文)|チャット(?:の)?履歴|やり取り|システムプロンプト/,
  ko: /대화(?: ?(?:내용|기록|내역))|채팅(?: ?(?:내용|기록))|시스템 ?프롬프트|이전 메시지/,
}

/** It is the present one, and all of it. */
export const presentPhrases: Phrases = {
  de: /\b(?:bisherig|komplett|ganz|vollstandig|gesamt|dieses gesprach|system)[a-z]*/,
  fr: /\b(?:tu as recu|vous avez recu|systeme|entier|entiere|complet|complete|jusqu'ici|en cours)\b/,
  es: /\b(?:hasta ahora|complet|enter|integr|sistema|esta conversacion)[a-z]*/,
  pt: /\b(?:ate agora|complet|inteir|integr|sistema|esta conversa)[a-z]*/,
  it: /\b(?:finora|complet|inter|integral|sistema|questa conversazione)[a-z]*/,
  ru: /(?:до сих пор|полн|целиком|систем|этот разговор|этого разговора)[а-я]*/,
  zh: /迄今|完整|全部|整个|系统|本次/,
  ja: /これまで|すべて|全文|システム|この会話/,
  ko: /지금까지|전체|모든|시스템|이 대화/,
}

/** `Put … here`, `enter … in the field`: in the description of a parameter. */
export const fillPhrases: Phrases = {
  de: /\b(?:gehort|gehoren|trag(?:e|en sie)?|schreib(?:e|en sie)?|fug(?:e|en sie)?|gib|kopier(?:e|en sie)?|hier|pack(?:e|en sie)?)\b/,
  fr: /\b(?:mets|mettez|recopie[zs]?|copie[zs]?|insere[zs]?|ajoute[zs]?|inclus|incluez|colle[zs]?|ecris|ecrivez|indique[zs]?|ici)\b/,
  es: /\b(?:pon|ponga|mete|meta|copia|coloca|incluye|incluya|inserta|inserte|anade|agrega|escribe|pega|aqui)\b/,
  pt: /\b(?:coloque|inclua|insira|adicione|escreva|cole|aqui)\b/,
  it: /\b(?:inserisci|metti|includi|aggiungi|scrivi|incolla|qui)\b/,
  ru: /(?:вставь|добавь|укажи|впиши|помести|напиши|включи)(?:те)?(?=\s)|сюда|здесь/,
  zh: /填入|填写|放入|写入|包含|附上|粘贴|输入/,
  ja: /入力|記入|入れ|含め|貼り付け|書い/,
  ko: /넣|입력|적|포함|붙여/,
}
