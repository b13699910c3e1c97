// On the 404 page: where the address holds an error code, offer that code's permanent page.
// The code is digits that matched, and it is set as text and path only, never as HTML.
(function () {
  "use strict";
  var base = document.currentScript.getAttribute("data-base") || ".";
  var match = /EKB[-_ ]?([0-9]{4})(?![0-9])/i.exec(decodeURIComponent(safe(location.href)));
  if (!match) return;
  var code = "EKB" + match[1];
  var target = base.replace(/\/+$/, "") + "/e/" + code + "/";
  fetch(target, { method: "HEAD" }).then(function (answer) {
    if (!answer.ok) return;
    var link = document.getElementById("ekb-link");
    link.href = target;
    link.textContent = code;
    document.getElementById("ekb-found").hidden = false;
  });

  // decodeURIComponent throws on a stray percent sign.
  function safe(text) {
    return text.replace(/%(?![0-9a-fA-F]{2})/g, "%25");
  }
})();
