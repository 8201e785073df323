import js from "@eslint/js";
import ts from "typescript-eslint";

const SCRIPT_GLOBALS = ["process", "console", "Buffer", "URL", "TextDecoder", "TextEncoder", "WebAssembly", "fetch"];

export default ts.config(
  { ignores: ["node_modules/", "dist/", "**/*.d.ts", "**/*.d.mts"] },
  js.configs.recommended,
  ...ts.configs.strict,
  {
    rules: {
      eqeqeq: "error",
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "@typescript-eslint/consistent-type-imports": "error",
    },
  },
  { files: ["**/*.ts"], rules: { "@typescript-eslint/explicit-module-boundary-types": "error" } },
  {
    files: ["build/**/*.mjs", "../tests/browser/**/*.mjs"],
    languageOptions: { globals: Object.fromEntries(SCRIPT_GLOBALS.map((name) => [name, "readonly"])) },
    rules: { "no-console": "off" },
  },
);
