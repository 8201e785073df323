"""Phrases that address an assistant: what each does, what a line with one has, and the pattern that tells it.

A pattern costs fifty times what a search for a text does, so each has texts without which it is idle: of every group
(`&` between groups, `;` between texts) one is there, in lower case, where a word begins or, behind `*`, anywhere.
`after` is what follows a text of the first group.
"""

from __future__ import annotations

from typing import NamedTuple


class Phrases(NamedTuple):
    """Phrases that do one thing."""

    reason: str
    needs: str
    pattern: str
    after: str = ""


_WHO = (
    r"(?:(?:ai |llm |language |chat)?(?:assistants?|models?|bots?|agents?|chatbots?)"
    r"|claude|chatgpt|gpt|copilot|gemini|llm)"
)
_SECRET = r"(?:system prompt|system message|developer message|hidden (?:prompt|instructions?)|initial instructions?)"

LATIN = (
    Phrases(
        "tells to ignore instructions",
        "ignor;disregard;forget;override;bypass;skip;do not"
        " & instruction;prompt;rule;guideline;direction;order;context;message;user;system;previous;developer",
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.\n]{0,40}\b(?:previous|prior"
        r"|above|earlier|preceding|all|any|"
        r"your|the user'?s?|system|existing)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules?"
        r"|guidelines?|directions?|orders?|context|messages?)\b"
        r"|\bignore the user|\bdo not (?:follow|obey|listen to) (?:the |your )?(?:user|system"
        r"|previous|developer)\b",
    ),
    Phrases(
        "gives new instructions",
        "instruction;rule;prompt;system;from now on;you are;act as;developer mode",
        r"\b(?:new|updated|real|actual|additional) (?:system )?(?:instructions?|rules?|prompt)\s*:"
        r"|\bsystem\s*(?:prompt|message|override|note)?\s*:\s*(?:new|you|ignore|from now)"
        r"|\bfrom now on,? (?:you|always|never)\b|\byou (?:are|must act as|will act as) (?:now"
        r"|no longer|a (?:new|different))\b"
        r"|\byou are now\b|\bact as (?:an? )?(?:unrestricted|jailbroken|dan|root|system|developer mode)\b"
        r"|\bdeveloper mode (?:enabled|on)\b",
        after=r"s?\s*(?:prompt|message|override|note)?\s*:|,? (?:you|always|never|now|no longer|a new|a different)\b"
        r"| (?:an? )?(?:unrestricted|jailbroken|dan|root|system|developer|enabled|on)\b",
    ),
    Phrases(
        "asks for the system prompt",
        "prompt;message;instruction & system;developer message;hidden;initial instruction"
        " & reveal;show;print;repeat;output;leak;expose;tell me",
        rf"\b(?:reveal|show|print|repeat|output|leak|expose|tell me)\b[^.\n]{{0,40}}\b{_SECRET}\b",
    ),
    Phrases(
        "tells to deceive the user",
        "user & do not;don't;never;without;keep this & tell;inform;mention;reveal;alert;notify;warn;show;asking;this",
        r"\b(?:do not|don't|never)\b[^.\n]{0,20}\b(?:tell|inform|mention|reveal|alert|notify"
        r"|warn|show)\b[^.\n]{0,30}\b(?:the )?users?\b"
        r"|\bwithout (?:telling|informing|asking|notifying) (?:the )?user\b|\bkeep this (?:secret"
        r"|hidden) from (?:the )?user\b",
    ),
    Phrases(
        "addresses an assistant",
        "assistant;model;bot;agent;claude;chat;gpt;copilot;gemini;llm;if you are a;ai;language model",
        r"(?:^|[\s>\"'(\[{*_#-])(?:(?:dear|hey|attention|note to|message (?:to|for)|important(?: for)?)\s+)?"
        rf"{_WHO}\s*[:,]\s*"
        r"(?:please\s+)?(?:before|after|when|always|never|do not|don't|you|run|call|execute"
        r"|send|use|ignore|open|fetch|read|write|delete|publish|include|now|must|first|instead)\b"
        rf"|\b(?:instructions?|note|message|command)s? (?:to|for) (?:the |any |all )?{_WHO}\b\s*[:\-]"
        rf"|\bif you are an? {_WHO}\b|\bas an? (?:ai|llm|language model),? you (?:must|should|will)\b",
        after=r"(?:assistant|bot|gpt)?s?\s*[:,-]"
        r"|n? (?:ai|llm|language|chat|assistant|model|bot|agent|claude|gpt|copilot|gemini)|,? you",
    ),
    Phrases(
        "tells to run or send something",
        "you must;silently;secretly;without asking;*http;@;*the following;*the url"
        " & you must;silently;secretly;without asking;conversation;chat history;api key;credential;secret;password"
        ";vault;note & run;execute;call;invoke;use;send;upload;post;exfiltrate;forward;leak",
        r"\b(?:you must|silently|secretly|without asking)\b[^.\n]{0,30}\b(?:run|execute|call"
        r"|invoke|use|send|upload)\b"
        r"|\b(?:send|post|upload|exfiltrate|forward|leak)\b[^.\n]{0,40}\b(?:conversation|chat history"
        r"|api keys?|credentials|secrets?|passwords?"
        r"|vault|notes)\b[^.\n]{0,30}\bto\b[^.\n]{0,10}(?:https?:|\S+@|the (?:following|url))",
    ),
    Phrases(
        "imitates a tool call or a role",
        "system;assistant;human;user",
        r"^\s*(?:#{1,6}\s*)?(?:system|assistant|human|user)\s*:\s*(?:new|ignore|you|from now|always|never)",
        after=r"\s*:",
    ),
    Phrases(
        "imitates a tool call or a role",
        "*<;*tool_;*[inst;*[/inst",
        r"```\s*tool_(?:call|code|use)|<\|(?:im_start|im_end|system|user|assistant|endoftext"
        r"|eot_id|start_header_id)\|?>|\[/?INST\]|<</?SYS>>"
        r"|</?(?:system|assistant|untrusted|tool_call|tool_use|tool_result|function_calls?"
        r"|function_results?|antml:\w+|invoke|instructions?|user_query|document_content)\b[^>\n]{0,80}>",
        after=r"[|<\]]|call|code|use|/?(?:sys|assistant|untrusted|tool_|function_|antml:|invoke|instruction|user_query"
        r"|document_content)",
    ),
    Phrases(
        "tells to ignore instructions (de)",
        "ignor;vergiss;vergesst;missacht;umgeh;du bist;ab jetzt;ab sofort;nutzer;benutzer;system;assistent"
        " & anweisung;vorgabe;regel;instruktion;prompt;systemprompt;anleitung;nutzer;benutzer;jetzt;nun"
        ";sofort;assistent",
        r"\b(?:ignorier\w*|vergiss|vergesst|missachte\w*|umgeh\w*)\b[^.\n]{0,40}\b(?:anweisung\w*"
        r"|vorgaben?|regeln?|instruktion\w*|prompts?|anleitung\w*|nutzer\w*|benutzer\w*)\b"
        r"|\bdu bist (?:jetzt|nun|ab sofort)\b|\bab (?:jetzt|sofort) (?:bist|musst|sollst) du\b"
        r"|\b(?:sag|verrate|erzähl|teile?)\w*\b[^.\n]{0,25}\b(?:be)?nutzer\w*\b[^.\n]{0,15}\bnicht\b"
        r"|\bsystem-?prompt\b[^.\n]{0,15}\b(?:ausgeben|anzeigen|verraten)\b|\bassistent(?:in)?\s*[:,]\s*(?:bitte"
        r"|führe|rufe|sende|du)\b",
    ),
    Phrases(
        "tells to ignore instructions (fr)",
        "ignor;oublie;pas compte;tu es;vous êtes;utilisateur;assistant"
        " & instruction;consigne;règle;directive;prompt;utilisateur;maintenant;désormais;veuillez;exécute;appelle"
        ";envoie;avant",
        r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte)\b[^.\n]{0,40}\b(?:instructions?"
        r"|consignes?|règles?|directives?|prompts?|utilisateur)\b"
        r"|\b(?:tu es|vous êtes) (?:maintenant|désormais)\b|\bne (?:dis|dites|révèle\w*|préviens"
        r"|prévenez)\b[^.\n]{0,20}\butilisateur\b|\bassistante?\s*[:,]\s*(?:veuillez|exécute"
        r"|appelle|envoie|avant)\b",
    ),
    Phrases(
        "tells to ignore instructions (es, pt, it)",
        "ignor;olvid;esquec;desconsider;dimentic;ahora eres;agora você;ora sei;adesso sei;usuario;asistente"
        " & instruc;instruç;istruzion;regla;regra;regol;órdenes;indicaciones;usuario;usuário;utente;ahora eres"
        ";agora você;ora sei;adesso sei;asistente",
        r"\b(?:ignor[ae]\w*|olvid[ae]\w*|esquec\w*|desconsider\w*|dimentic\w*)\b[^.\n]{0,40}\b(?:instruc\w+"
        r"|instru[çc]\w+|istruzion\w+|reglas?|regras?|regole?|órdenes|indicaciones|usuario"
        r"|usuário|utente)\b"
        r"|\b(?:ahora eres|agora você é|ora sei|adesso sei)\b|\bno (?:le )?(?:digas?|reveles?"
        r"|informes?)\b[^.\n]{0,20}\busuario\b|\basistente\s*[:,]\s*(?:por favor|ejecuta|llama"
        r"|envía|antes)\b",
    ),
)

OTHER_SCRIPTS = (
    Phrases(
        "tells to ignore instructions (zh)",
        "忽略;无视;無視;忘记;忘記;忘掉;不要;绕过;你现;你現;你将;起你;现在开始;扮演;别;勿;泄露;透露;输出;輸出;显;打印;重复"
        ";告诉;助手;助理;模型;智能;ai:;ai:;ai,;ai,;ai、;新指;的指;新规;的规;新系统;的系统;抛开",
        r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守|绕过|抛开)[^。\n*::]{0,6}(?:之前|以上|上面|上述|先前|前面|所有|一切"
        r"|系统|系統|原有|全部|任何)[^。\n]{0,8}(?:指令|指示|提示|规则|規則|说明|命令|要求|对话|設定|设定|约束)"
        r"|(?:忽略|无视|無視)(?:用户|用戶|使用者)"
        r"|(?:你现在是|你現在是|从现在起你|從現在起你|从现在开始[,,]?你|请扮演|請扮演|你将扮演)"
        r"|(?:不要|别|請勿|请勿|切勿)(?:告诉|告訴|通知|提醒|让)[^。\n]{0,4}(?:用户|用戶|使用者)"
        r"|(?:泄露|透露|输出|輸出|显示|显出|打印|重复|告诉我)[^。\n]{0,8}(?:系统提示词|系統提示詞|系统指令|系统提示(?!用户)|提示词|提示詞)"
        r"|(?:助手|助理|模型|人工智能|AI)[:,,、]\s*(?:请|請|你|必须|立即|在回答|执行|调用|运行)"
        r"|(?:新的?|最新)(?:系统)?(?:指令|指示|规则)\s*[::]"
        r"|(?:助手|助理|模型)[^。\n]{0,4}(?:必须|立即|马上)(?:执行|运行|调用)[^。\n]{0,10}(?:命令|工具|函数|脚本)",
    ),
    Phrases(
        "tells to ignore instructions (ja)",
        "無視;忘れ;破棄;あなたは;ユーザー;システム;アシスタント",
        r"(?:以前|これまで|上記|先|すべて|全て|前)の[^。\n]{0,10}(?:指示|命令|ルール|プロンプト)[^。\n]{0,6}(?:無視|忘れ|破棄)"
        r"|(?:指示|命令|ルール)を(?:すべて|全て)?無視"
        r"|あなたは(?:今から|これから|もう)|ユーザー[にへ](?:は)?[^。\n]{0,8}(?:言わない|伝えない|知らせない|教えない)|システムプロンプトを[^。\n]{0,6}(?:表示"
        r"|出力|教え|開示)|アシスタント[:,、]",
    ),
    Phrases(
        "tells to ignore instructions (ko)",
        "무시;잊;당신은;사용자;시스템",
        r"(?:이전|위의|앞의|모든|기존)[^.\n]{0,8}(?:지시|명령|규칙|프롬프트)[^.\n]{0,8}(?:무시|잊)"
        r"|당신은 (?:이제|지금부터)"
        r"|사용자(?:에게|한테)[^.\n]{0,8}(?:말하지|알리지)|시스템 프롬프트[^.\n]{0,6}(?:출력|공개|보여)",
    ),
    Phrases(
        "tells to ignore instructions (ru)",
        "игнорируй;забудь;обращай;ты теперь;пользовател",
        r"(?:игнорируй\w*|забудь\w*|не обращай\w*)[^.\n]{0,40}(?:инструкци\w*|указани\w*|правил\w*"
        r"|команд\w*|пользовател\w*)|\bты теперь\b|не (?:говори|сообщай)\w*[^.\n]{0,15}пользовател\w*",
    ),
    Phrases(
        "tells to ignore instructions (ar, hi)",
        "تجاهل;انس;निर्देश",
        r"(?:تجاهل|انس)[^.\n]{0,30}(?:التعليمات|الأوامر|القواعد)|(?:पिछले|सभी|उपरोक्त)[^.\n]{0,20}निर्देश[^.\n]{0,15}(?:अनदेखा"
        r"|भूल)",
    ),
)
