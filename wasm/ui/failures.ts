// Failures of the core by their codes, where a person reads no English. The core's own words stay below them, as detail.
//
// English has none here: the message itself says what was expected and found, which no text of a code can.

import type { Locale } from "./messages";

export interface Told {
  text: string;
  hint: string;
}

const AGAIN = "请从发布处重新获取。";
const RETRY = "请稍后重试。";
const ASK_OWNER = "原有内容没有改变。若仍如此，请告知订阅源的所有者。";

const ZH: Record<string, Told> = {
  "not-a-zip": { text: "这不是压缩包。", hint: "知识包是以 .okf.zip 结尾的文件。" },
  truncated: { text: "文件不完整，后面的部分缺失。", hint: AGAIN },
  "hash-mismatch": { text: "文件与知识包清单声明的不一致。", hint: AGAIN },
  "missing-file": { text: "清单中的文件缺失。", hint: AGAIN },
  "extra-file": { text: "有清单之外的文件。", hint: AGAIN },
  "size-mismatch": { text: "文件大小与声明的不一致。", hint: AGAIN },
  "unsafe-path": { text: "压缩包试图写到自己的文件夹之外，已拒绝。", hint: "请告知发送者。" },
  "reserved-path": { text: "压缩包试图写入程序使用的文件夹，已拒绝。", hint: "请告知发送者。" },
  "bad-manifest": { text: "知识包的清单无法读取。", hint: AGAIN },
  "bundle-refused": { text: "这个知识包被拒绝。", hint: AGAIN },
  "bad-archive": { text: "压缩包已损坏或有恶意，已拒绝。", hint: AGAIN },
  "no-concepts": { text: "里面没有页面，不是知识包。", hint: AGAIN },
  "too-large": { text: "超过了这里允许的大小。", hint: "请向发布者索取更小的知识包。" },
  "too-many-entries": { text: "文件太多，超过了允许的数量。", hint: "请向发布者索取更小的知识包。" },
  "suspicious-ratio": { text: "解压后的大小异常，已拒绝。", hint: "请告知发送者。" },
  "newer-format": { text: "它是为更新的版本制作的。", hint: "请先更新，再重试。" },
  "risk-found": { text: "文本中发现了可疑内容。", hint: "请先阅读下面列出的内容，再决定是否安装。" },
  "not-conformant": { text: "它不完全符合 OKF 格式。", hint: "请先阅读下面列出的内容，再决定是否安装。" },
  downgrade: { text: "已安装的版本更新。", hint: "要恢复旧版本，请使用“恢复”。" },
  "local-edits": { text: "已安装的页面被改动过。", hint: "请先把自己的笔记移出 Library/。" },
  "disk-full": { text: "没有足够的空间。", hint: "请腾出一些空间后重试。原有内容没有改变。" },
  unavailable: {
    text: "无法取得：没有网络、地址不对，或对方不允许读取。",
    hint: "请检查网络和地址，或先下载文件再打开。",
  },
  busy: { text: "另一个程序正在使用它。", hint: RETRY },
  "not-found": { text: "它不在这里。", hint: "" },
  "no-feed": { text: "那里没有订阅源。", hint: "请向发布者核对地址。" },
  "signature-invalid": { text: "订阅源的签名不可信。", hint: ASK_OWNER },
  "metadata-expired": { text: "订阅源的签名已过期，没有续签。", hint: ASK_OWNER },
  rollback: { text: "订阅源给出的状态比这台设备见过的更旧。", hint: ASK_OWNER },
  "root-mismatch": { text: "这是另一个订阅源：它的根与固定的摘要不同。", hint: "请向发布者核对摘要。" },
  "wrong-package": { text: "收到的不是订阅源列出的知识包。", hint: ASK_OWNER },
  yanked: { text: "此版本已被发布者撤回。", hint: "请选择其他版本。" },
  "clock-behind": { text: "这台设备的时钟倒退了。", hint: "请校正时钟。" },
  "index-unusable": { text: "索引已损坏，或属于其他版本。", hint: "请重新安装这个知识包。" },
  "worker-refused": { text: "本站不允许引擎运行。", hint: "请告知站长。" },
};

/** Words of our own in Chinese; a file's name in Chinese within an English sentence is none. */
const CHINESE = /[，。：；？]/;

/** What a code means, in another language than English; null where the message itself tells, or is in that language. */
export function failureIn(locale: Locale, failure: { code: string; message: string }): Told | null {
  return locale === "zh" && !CHINESE.test(failure.message) ? (ZH[failure.code] ?? null) : null;
}
