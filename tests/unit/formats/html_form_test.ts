import assert from "node:assert/strict";
import type { FormPage } from "@/plugins/contract.ts";
import html from "@/formats/html/mod.ts";
import { HOSTILE_TEXTS } from "@/tests/conformance/hostile.ts";
import { hostOf, options, page } from "@/tests/conformance/shapes.ts";
import { assertXml } from "@/tests/support/well_formed_xml.ts";

const format = html.setup({}, hostOf("html"));

const LOGIN: FormPage = {
  title: "Log in",
  text: ["Welcome."],
  problem: "The login or the password is not right",
  buttons: [{ label: "Company account", href: "/sso/start/company" }],
  form: {
    action: "/login",
    hidden: { next: "/db?a=1&b=2" },
    submit: "Log in",
    fields: [
      {
        name: "login",
        label: "Login",
        kind: "text",
        required: true,
        autocomplete: "username",
        value: "anna",
      },
      {
        name: "password",
        label: "Password",
        kind: "password",
        required: false,
        autocomplete: "current-password",
        hint: "At least 12 characters.",
      },
    ],
  },
};

function write(form: FormPage): string {
  return String(format.form?.(form, options(format), page({ formats: [] })));
}

function mainOf(text: string): string {
  return text.slice(text.indexOf("<h1>"), text.indexOf("</main>"));
}

Deno.test("a form has a label for each field, and the cursor in the first that is empty", () => {
  assert.equal(
    mainOf(write(LOGIN)),
    `<h1>Log in</h1></div>
<div class="form">
<div id="problem"><div class="notice problem"><p role="alert">The login or the password is not right</p></div>
</div>
<p>Welcome.</p>
<ul>
<li><a class="button" href="/sso/start/company">Company account</a></li>
</ul>
<form method="post" accept-charset="utf-8" action="/login">
<input type="hidden" name="next" value="/db?a=1&amp;b=2"/>
<label for="field-login">Login</label>
<input id="field-login" name="login" type="text" autocomplete="username" value="anna" required="required" autocapitalize="none" spellcheck="false"/>
<label for="field-password">Password</label>
<p class="hint" id="field-password-hint">At least 12 characters.</p>
<input id="field-password" name="password" type="password" autocomplete="current-password" autofocus="autofocus" aria-describedby="field-password-hint"/>
<button type="submit" class="main">Log in</button>
</form>
</div>
`,
  );
});

Deno.test("a wrong field refers to the problem and to its hint, and one that cannot be changed says so", () => {
  const [login, password] = LOGIN.form?.fields ?? [];
  assert.ok(LOGIN.form && login && password);
  const fields = [{ ...login, isReadOnly: true }, { ...password, isWrong: true }];
  const text = write({ ...LOGIN, form: { ...LOGIN.form, fields } });
  assert.match(text, /<div id="problem"><div class="notice problem"><p role="alert">/);
  assert.match(text, /<input id="field-login"[^>]* readonly="readonly"/);
  assert.match(
    text,
    /<input id="field-password"[^>]* aria-describedby="problem field-password-hint" aria-invalid="true"/,
  );
});

Deno.test("a page without form and buttons has its text only", () => {
  const text = mainOf(write({ title: "Log in", text: ["Nobody can log in here."], buttons: [] }));
  assert.equal(text, `<h1>Log in</h1></div>\n<div class="form">\n<p>Nobody can log in here.</p>\n</div>\n`);
});

Deno.test("no text becomes markup, wherever it stands", () => {
  const attacks = [
    ...HOSTILE_TEXTS,
    '"><script>alert(1)</script>',
    "' onfocus='alert(1)",
    "javascript:alert(1)",
  ];
  for (const text of attacks) {
    const written = write({
      title: text,
      text: [text],
      problem: text,
      buttons: [{ label: text, href: "/sso" }],
      form: {
        action: "/login",
        hidden: { next: text },
        submit: text,
        fields: [
          {
            name: "login",
            label: text,
            kind: "text",
            required: true,
            autocomplete: "off",
            value: text,
            hint: text,
          },
        ],
      },
    });
    assertXml(written);
    assert.doesNotMatch(written, /<script(?! src="\/assets)|<b>|\son[a-z]+="/);
  }
});

Deno.test("a password is never filled in, even if somebody gives one", () => {
  const fields = [{
    name: "password",
    label: "Password",
    kind: "password" as const,
    required: true,
    autocomplete: "current-password",
    value: "s3cret",
  }];
  const form = { action: "/login", hidden: {}, submit: "Log in", fields };
  assert.equal(write({ title: "Log in", text: [], buttons: [], form }).includes("s3cret"), false);
});
