function xt(t){let n=+this._x.call(null,t),e=+this._y.call(null,t);return rt(this.cover(n,e),n,e,t)}function rt(t,n,e,r){if(isNaN(n)||isNaN(e))return t;var i,o=t._root,s={data:r},a=t._x0,c=t._y0,f=t._x1,p=t._y1,y,m,h,x,u,l,g,d;if(!o)return t._root=s,t;for(;o.length;)if((u=n>=(y=(a+f)/2))?a=y:f=y,(l=e>=(m=(c+p)/2))?c=m:p=m,i=o,!(o=o[g=l<<1|u]))return i[g]=s,t;if(h=+t._x.call(null,o.data),x=+t._y.call(null,o.data),n===h&&e===x)return s.next=o,i?i[g]=s:t._root=s,t;do i=i?i[g]=new Array(4):t._root=new Array(4),(u=n>=(y=(a+f)/2))?a=y:f=y,(l=e>=(m=(c+p)/2))?c=m:p=m;while((g=l<<1|u)===(d=(x>=m)<<1|h>=y));return i[d]=o,i[g]=s,t}function wt(t){Array.isArray(t)||(t=Array.from(t));let n=t.length,e=new Float64Array(n),r=new Float64Array(n),i=1/0,o=i,s=-i,a=s;for(let c=0,f,p,y;c<n;++c){if(isNaN(p=+this._x.call(null,f=t[c]))||isNaN(y=+this._y.call(null,f))){e[c]=NaN;continue}e[c]=p,r[c]=y,p<i&&(i=p),p>s&&(s=p),y<o&&(o=y),y>a&&(a=y)}if(i>s||o>a)return this;this.cover(i,o).cover(s,a);for(let c=0;c<n;++c)rt(this,e[c],r[c],t[c]);return this}function kt(t,n){if(isNaN(t=+t)||isNaN(n=+n))return this;var e=this._x0,r=this._y0,i=this._x1,o=this._y1;if(isNaN(e))i=(e=Math.floor(t))+1,o=(r=Math.floor(n))+1;else{for(var s=i-e||1,a=this._root,c,f;e>t||t>=i||r>n||n>=o;)switch(f=(n<r)<<1|t<e,c=new Array(4),c[f]=a,a=c,s*=2,f){case 0:i=e+s,o=r+s;break;case 1:e=i-s,o=r+s;break;case 2:i=e+s,r=o-s;break;case 3:e=i-s,r=o-s;break}this._root&&this._root.length&&(this._root=a)}return this._x0=e,this._y0=r,this._x1=i,this._y1=o,this}function bt(){var t=[];return this.visit(function(n){if(!n.length)do t.push(n.data);while(n=n.next)}),t}function _t(t){return arguments.length?this.cover(+t[0][0],+t[0][1]).cover(+t[1][0],+t[1][1]):isNaN(this._x0)?void 0:[[this._x0,this._y0],[this._x1,this._y1]]}function M(t,n,e,r,i){this.node=t,this.x0=n,this.y0=e,this.x1=r,this.y1=i}function Et(t,n,e){var r,i=this._x0,o=this._y0,s,a,c,f,p=this._x1,y=this._y1,m=[],h=this._root,x,u;for(h&&m.push(new M(h,i,o,p,y)),e==null?e=1/0:(i=t-e,o=n-e,p=t+e,y=n+e,e*=e);x=m.pop();)if(!(!(h=x.node)||(s=x.x0)>p||(a=x.y0)>y||(c=x.x1)<i||(f=x.y1)<o))if(h.length){var l=(s+c)/2,g=(a+f)/2;m.push(new M(h[3],l,g,c,f),new M(h[2],s,g,l,f),new M(h[1],l,a,c,g),new M(h[0],s,a,l,g)),(u=(n>=g)<<1|t>=l)&&(x=m[m.length-1],m[m.length-1]=m[m.length-1-u],m[m.length-1-u]=x)}else{var d=t-+this._x.call(null,h.data),w=n-+this._y.call(null,h.data),v=d*d+w*w;if(v<e){var k=Math.sqrt(e=v);i=t-k,o=n-k,p=t+k,y=n+k,r=h.data}}return r}function Mt(t){if(isNaN(p=+this._x.call(null,t))||isNaN(y=+this._y.call(null,t)))return this;var n,e=this._root,r,i,o,s=this._x0,a=this._y0,c=this._x1,f=this._y1,p,y,m,h,x,u,l,g;if(!e)return this;if(e.length)for(;;){if((x=p>=(m=(s+c)/2))?s=m:c=m,(u=y>=(h=(a+f)/2))?a=h:f=h,n=e,!(e=e[l=u<<1|x]))return this;if(!e.length)break;(n[l+1&3]||n[l+2&3]||n[l+3&3])&&(r=n,g=l)}for(;e.data!==t;)if(i=e,!(e=e.next))return this;return(o=e.next)&&delete e.next,i?(o?i.next=o:delete i.next,this):n?(o?n[l]=o:delete n[l],(e=n[0]||n[1]||n[2]||n[3])&&e===(n[3]||n[2]||n[1]||n[0])&&!e.length&&(r?r[g]=e:this._root=e),this):(this._root=o,this)}function Nt(t){for(var n=0,e=t.length;n<e;++n)this.remove(t[n]);return this}function At(){return this._root}function Tt(){var t=0;return this.visit(function(n){if(!n.length)do++t;while(n=n.next)}),t}function St(t){var n=[],e,r=this._root,i,o,s,a,c;for(r&&n.push(new M(r,this._x0,this._y0,this._x1,this._y1));e=n.pop();)if(!t(r=e.node,o=e.x0,s=e.y0,a=e.x1,c=e.y1)&&r.length){var f=(o+a)/2,p=(s+c)/2;(i=r[3])&&n.push(new M(i,f,p,a,c)),(i=r[2])&&n.push(new M(i,o,p,f,c)),(i=r[1])&&n.push(new M(i,f,s,a,p)),(i=r[0])&&n.push(new M(i,o,s,f,p))}return this}function Lt(t){var n=[],e=[],r;for(this._root&&n.push(new M(this._root,this._x0,this._y0,this._x1,this._y1));r=n.pop();){var i=r.node;if(i.length){var o,s=r.x0,a=r.y0,c=r.x1,f=r.y1,p=(s+c)/2,y=(a+f)/2;(o=i[0])&&n.push(new M(o,s,a,p,y)),(o=i[1])&&n.push(new M(o,p,a,c,y)),(o=i[2])&&n.push(new M(o,s,y,p,f)),(o=i[3])&&n.push(new M(o,p,y,c,f))}e.push(r)}for(;r=e.pop();)t(r.node,r.x0,r.y0,r.x1,r.y1);return this}function Ct(t){return t[0]}function Pt(t){return arguments.length?(this._x=t,this):this._x}function Rt(t){return t[1]}function Bt(t){return arguments.length?(this._y=t,this):this._y}function K(t,n,e){var r=new W(n??Ct,e??Rt,NaN,NaN,NaN,NaN);return t==null?r:r.addAll(t)}function W(t,n,e,r,i,o){this._x=t,this._y=n,this._x0=e,this._y0=r,this._x1=i,this._y1=o,this._root=void 0}function et(t){for(var n={data:t.data},e=n;t=t.next;)e=e.next={data:t.data};return n}var N=K.prototype=W.prototype;N.copy=function(){var t=new W(this._x,this._y,this._x0,this._y0,this._x1,this._y1),n=this._root,e,r;if(!n)return t;if(!n.length)return t._root=et(n),t;for(e=[{source:n,target:t._root=new Array(4)}];n=e.pop();)for(var i=0;i<4;++i)(r=n.source[i])&&(r.length?e.push({source:r,target:n.target[i]=new Array(4)}):n.target[i]=et(r));return t};N.add=xt;N.addAll=wt;N.cover=kt;N.data=bt;N.extent=_t;N.find=Et;N.remove=Mt;N.removeAll=Nt;N.root=At;N.size=Tt;N.visit=St;N.visitAfter=Lt;N.x=Pt;N.y=Bt;var Dt={value:()=>{}};function q(){for(var t=0,n=arguments.length,e={},r;t<n;++t){if(!(r=arguments[t]+"")||r in e||/[\s.]/.test(r))throw new Error("illegal type: "+r);e[r]=[]}return new V(e)}function V(t){this._=t}function zt(t,n){return t.trim().split(/^|\s+/).map(function(e){var r="",i=e.indexOf(".");if(i>=0&&(r=e.slice(i+1),e=e.slice(0,i)),e&&!n.hasOwnProperty(e))throw new Error("unknown type: "+e);return{type:e,name:r}})}V.prototype=q.prototype={constructor:V,on:function(t,n){var e=this._,r=zt(t+"",e),i,o=-1,s=r.length;if(arguments.length<2){for(;++o<s;)if((i=(t=r[o]).type)&&(i=It(e[i],t.name)))return i;return}if(n!=null&&typeof n!="function")throw new Error("invalid callback: "+n);for(;++o<s;)if(i=(t=r[o]).type)e[i]=it(e[i],t.name,n);else if(n==null)for(i in e)e[i]=it(e[i],t.name,null);return this},copy:function(){var t={},n=this._;for(var e in n)t[e]=n[e].slice();return new V(t)},call:function(t,n){if((i=arguments.length-2)>0)for(var e=new Array(i),r=0,i,o;r<i;++r)e[r]=arguments[r+2];if(!this._.hasOwnProperty(t))throw new Error("unknown type: "+t);for(o=this._[t],r=0,i=o.length;r<i;++r)o[r].value.apply(n,e)},apply:function(t,n,e){if(!this._.hasOwnProperty(t))throw new Error("unknown type: "+t);for(var r=this._[t],i=0,o=r.length;i<o;++i)r[i].value.apply(n,e)}};function It(t,n){for(var e=0,r=t.length,i;e<r;++e)if((i=t[e]).name===n)return i.value}function it(t,n,e){for(var r=0,i=t.length;r<i;++r)if(t[r].name===n){t[r]=Dt,t=t.slice(0,r).concat(t.slice(r+1));break}return e!=null&&t.push({name:n,value:e}),t}var $=0,j=0,O=0,st=1e3,X,F,Y=0,I=0,Q=0,H=typeof performance=="object"&&performance.now?performance:Date,at=typeof window=="object"&&window.requestAnimationFrame?window.requestAnimationFrame.bind(window):function(t){setTimeout(t,17)};function ft(){return I||(at($t),I=H.now()+Q)}function $t(){I=0}function J(){this._call=this._time=this._next=null}J.prototype=tt.prototype={constructor:J,restart:function(t,n,e){if(typeof t!="function")throw new TypeError("callback is not a function");e=(e==null?ft():+e)+(n==null?0:+n),!this._next&&F!==this&&(F?F._next=this:X=this,F=this),this._call=t,this._time=e,Z()},stop:function(){this._call&&(this._call=null,this._time=1/0,Z())}};function tt(t,n,e){var r=new J;return r.restart(t,n,e),r}function Ot(){ft(),++$;for(var t=X,n;t;)(n=I-t._time)>=0&&t._call.call(void 0,n),t=t._next;--$}function ot(){I=(Y=H.now())+Q,$=j=0;try{Ot()}finally{$=0,Ft(),I=0}}function jt(){var t=H.now(),n=t-Y;n>st&&(Q-=n,Y=t)}function Ft(){for(var t,n=X,e,r=1/0;n;)n._call?(r>n._time&&(r=n._time),t=n,n=n._next):(e=n._next,n._next=null,n=t?t._next=e:X=e);F=t,Z(r)}function Z(t){if(!$){j&&(j=clearTimeout(j));var n=t-I;n>24?(t<1/0&&(j=setTimeout(ot,Math.ceil(t-H.now()-Q)+1)),O&&(O=clearInterval(O))):(O||(Y=H.now(),O=setInterval(jt,st)),$=1,at(ot))}}function A(t){return function(){return t}}function z(t){return(t()-.5)*1e-6}function Ht(t){return t.x+t.vx}function Gt(t){return t.y+t.vy}function ct(t){var n,e,r,i=1,o=1;typeof t!="function"&&(t=A(t==null?1:+t));function s(){for(var f,p=n.length,y,m,h,x,u,l,g=0;g<o;++g)for(y=K(n,Ht,Gt).visitAfter(a),f=0;f<p;++f)m=n[f],u=e[m.index],l=u*u,h=m.x+m.vx,x=m.y+m.vy,y.visit(d);function d(w,v,k,E,T){var b=w.data,L=w.r,_=u+L;if(b){if(b.index>m.index){var B=h-b.x-b.vx,D=x-b.y-b.vy,R=B*B+D*D;R<_*_&&(B===0&&(B=z(r),R+=B*B),D===0&&(D=z(r),R+=D*D),R=(_-(R=Math.sqrt(R)))/R*i,m.vx+=(B*=R)*(_=(L*=L)/(l+L)),m.vy+=(D*=R)*_,b.vx-=B*(_=1-_),b.vy-=D*_)}return}return v>h+_||E<h-_||k>x+_||T<x-_}}function a(f){if(f.data)return f.r=e[f.data.index];for(var p=f.r=0;p<4;++p)f[p]&&f[p].r>f.r&&(f.r=f[p].r)}function c(){if(n){var f,p=n.length,y;for(e=new Array(p),f=0;f<p;++f)y=n[f],e[y.index]=+t(y,f,n)}}return s.initialize=function(f,p){n=f,r=p,c()},s.iterations=function(f){return arguments.length?(o=+f,s):o},s.strength=function(f){return arguments.length?(i=+f,s):i},s.radius=function(f){return arguments.length?(t=typeof f=="function"?f:A(+f),c(),s):t},s}function Kt(t){return t.index}function lt(t,n){var e=t.get(n);if(!e)throw new Error("node not found: "+n);return e}function ht(t){var n=Kt,e=y,r,i=A(30),o,s,a,c,f,p=1;t==null&&(t=[]);function y(l){return 1/Math.min(a[l.source.index],a[l.target.index])}function m(l){for(var g=0,d=t.length;g<p;++g)for(var w=0,v,k,E,T,b,L,_;w<d;++w)v=t[w],k=v.source,E=v.target,T=E.x+E.vx-k.x-k.vx||z(f),b=E.y+E.vy-k.y-k.vy||z(f),L=Math.sqrt(T*T+b*b),L=(L-o[w])/L*l*r[w],T*=L,b*=L,E.vx-=T*(_=c[w]),E.vy-=b*_,k.vx+=T*(_=1-_),k.vy+=b*_}function h(){if(s){var l,g=s.length,d=t.length,w=new Map(s.map((k,E)=>[n(k,E,s),k])),v;for(l=0,a=new Array(g);l<d;++l)v=t[l],v.index=l,typeof v.source!="object"&&(v.source=lt(w,v.source)),typeof v.target!="object"&&(v.target=lt(w,v.target)),a[v.source.index]=(a[v.source.index]||0)+1,a[v.target.index]=(a[v.target.index]||0)+1;for(l=0,c=new Array(d);l<d;++l)v=t[l],c[l]=a[v.source.index]/(a[v.source.index]+a[v.target.index]);r=new Array(d),x(),o=new Array(d),u()}}function x(){if(s)for(var l=0,g=t.length;l<g;++l)r[l]=+e(t[l],l,t)}function u(){if(s)for(var l=0,g=t.length;l<g;++l)o[l]=+i(t[l],l,t)}return m.initialize=function(l,g){s=l,f=g,h()},m.links=function(l){return arguments.length?(t=l,h(),m):t},m.id=function(l){return arguments.length?(n=l,m):n},m.iterations=function(l){return arguments.length?(p=+l,m):p},m.strength=function(l){return arguments.length?(e=typeof l=="function"?l:A(+l),x(),m):e},m.distance=function(l){return arguments.length?(i=typeof l=="function"?l:A(+l),u(),m):i},m}var Vt=1664525,Xt=1013904223,ut=4294967296;function Yt(){let t=1;return()=>(t=(Vt*t+Xt)%ut)/ut}function Qt(t){return t.x}function Ut(t){return t.y}var Wt=10,qt=Math.PI*(3-Math.sqrt(5));function gt(t){var n,e=1,r=.001,i=1-Math.pow(r,1/300),o=0,s=.6,a=new Map,c=tt(y),f=q("tick","end"),p=Yt();t==null&&(t=[]);function y(){m(),f.call("tick",n),e<r&&(c.stop(),f.call("end",n))}function m(u){var l,g=t.length,d;u===void 0&&(u=1);for(var w=0;w<u;++w)for(e+=(o-e)*i,a.forEach(function(v){v(e)}),l=0;l<g;++l)d=t[l],d.fx==null?d.x+=d.vx*=s:(d.x=d.fx,d.vx=0),d.fy==null?d.y+=d.vy*=s:(d.y=d.fy,d.vy=0);return n}function h(){for(var u=0,l=t.length,g;u<l;++u){if(g=t[u],g.index=u,g.fx!=null&&(g.x=g.fx),g.fy!=null&&(g.y=g.fy),isNaN(g.x)||isNaN(g.y)){var d=Wt*Math.sqrt(.5+u),w=u*qt;g.x=d*Math.cos(w),g.y=d*Math.sin(w)}(isNaN(g.vx)||isNaN(g.vy))&&(g.vx=g.vy=0)}}function x(u){return u.initialize&&u.initialize(t,p),u}return h(),n={tick:m,restart:function(){return c.restart(y),n},stop:function(){return c.stop(),n},nodes:function(u){return arguments.length?(t=u,h(),a.forEach(x),n):t},alpha:function(u){return arguments.length?(e=+u,n):e},alphaMin:function(u){return arguments.length?(r=+u,n):r},alphaDecay:function(u){return arguments.length?(i=+u,n):+i},alphaTarget:function(u){return arguments.length?(o=+u,n):o},velocityDecay:function(u){return arguments.length?(s=1-u,n):1-s},randomSource:function(u){return arguments.length?(p=u,a.forEach(x),n):p},force:function(u,l){return arguments.length>1?(l==null?a.delete(u):a.set(u,x(l)),n):a.get(u)},find:function(u,l,g){var d=0,w=t.length,v,k,E,T,b;for(g==null?g=1/0:g*=g,d=0;d<w;++d)T=t[d],v=u-T.x,k=l-T.y,E=v*v+k*k,E<g&&(b=T,g=E);return b},on:function(u,l){return arguments.length>1?(f.on(u,l),n):f.on(u)}}}function pt(){var t,n,e,r,i=A(-30),o,s=1,a=1/0,c=.81;function f(h){var x,u=t.length,l=K(t,Qt,Ut).visitAfter(y);for(r=h,x=0;x<u;++x)n=t[x],l.visit(m)}function p(){if(t){var h,x=t.length,u;for(o=new Array(x),h=0;h<x;++h)u=t[h],o[u.index]=+i(u,h,t)}}function y(h){var x=0,u,l,g=0,d,w,v;if(h.length){for(d=w=v=0;v<4;++v)(u=h[v])&&(l=Math.abs(u.value))&&(x+=u.value,g+=l,d+=l*u.x,w+=l*u.y);h.x=d/g,h.y=w/g}else{u=h,u.x=u.data.x,u.y=u.data.y;do x+=o[u.data.index];while(u=u.next)}h.value=x}function m(h,x,u,l){if(!h.value)return!0;var g=h.x-n.x,d=h.y-n.y,w=l-x,v=g*g+d*d;if(w*w/c<v)return v<a&&(g===0&&(g=z(e),v+=g*g),d===0&&(d=z(e),v+=d*d),v<s&&(v=Math.sqrt(s*v)),n.vx+=g*h.value*r/v,n.vy+=d*h.value*r/v),!0;if(h.length||v>=a)return;(h.data!==n||h.next)&&(g===0&&(g=z(e),v+=g*g),d===0&&(d=z(e),v+=d*d),v<s&&(v=Math.sqrt(s*v)));do h.data!==n&&(w=o[h.data.index]*r/v,n.vx+=g*w,n.vy+=d*w);while(h=h.next)}return f.initialize=function(h,x){t=h,e=x,p()},f.strength=function(h){return arguments.length?(i=typeof h=="function"?h:A(+h),p(),f):i},f.distanceMin=function(h){return arguments.length?(s=h*h,f):Math.sqrt(s)},f.distanceMax=function(h){return arguments.length?(a=h*h,f):Math.sqrt(a)},f.theta=function(h){return arguments.length?(c=h*h,f):Math.sqrt(c)},f}function dt(t){var n=A(.1),e,r,i;typeof t!="function"&&(t=A(t==null?0:+t));function o(a){for(var c=0,f=e.length,p;c<f;++c)p=e[c],p.vx+=(i[c]-p.x)*r[c]*a}function s(){if(e){var a,c=e.length;for(r=new Array(c),i=new Array(c),a=0;a<c;++a)r[a]=isNaN(i[a]=+t(e[a],a,e))?0:+n(e[a],a,e)}}return o.initialize=function(a){e=a,s()},o.strength=function(a){return arguments.length?(n=typeof a=="function"?a:A(+a),s(),o):n},o.x=function(a){return arguments.length?(t=typeof a=="function"?a:A(+a),s(),o):t},o}function vt(t){var n=A(.1),e,r,i;typeof t!="function"&&(t=A(t==null?0:+t));function o(a){for(var c=0,f=e.length,p;c<f;++c)p=e[c],p.vy+=(i[c]-p.y)*r[c]*a}function s(){if(e){var a,c=e.length;for(r=new Array(c),i=new Array(c),a=0;a<c;++a)r[a]=isNaN(i[a]=+t(e[a],a,e))?0:+n(e[a],a,e)}}return o.initialize=function(a){e=a,s()},o.strength=function(a){return arguments.length?(n=typeof a=="function"?a:A(+a),s(),o):n},o.y=function(a){return arguments.length?(t=typeof a=="function"?a:A(+a),s(),o):t},o}function C(t,n,...e){let r=document.createElement(t);for(let[i,o]of Object.entries(n))typeof o=="function"?r.addEventListener(i,o):typeof o=="boolean"?r.toggleAttribute(i,o):r.setAttribute(i,o);return r.append(...e.filter(i=>i!==null)),r}var mt={light:{ground:"#fbfcfe",ink:"#16202e",faint:"#66758a",grid:"#e3e8ef",link:"#8795a8",tree:"#0072B2",client:"#4c5a6d",broken:"#D55E00",halo:"#fbfcfe",select:"#e69f00",lost:"#c8102e",parts:["#cfe3f5","#fde7c3","#d3efe3","#f3dbe8","#e4e0f4","#eceec9"]},dark:{ground:"#10161f",ink:"#e8eef6",faint:"#93a3b8",grid:"#1e2835",link:"#66788f",tree:"#4aa8e0",client:"#a5b4c6",broken:"#ff8a3d",halo:"#10161f",select:"#ffc04d",lost:"#ff6b6b",parts:["#16344d","#41331a","#15402f","#402337","#2d2850","#393a17"]}};var[G,U]=[620,380],S=mt.light;function P(t,n,...e){let r=document.createElementNS("http://www.w3.org/2000/svg",t);for(let[i,o]of Object.entries(n))r.setAttribute(i,String(o));return r.append(...e),r}var nt=class{constructor(n,e){this.model=n;e.append(C("div",{style:"font:13px system-ui,sans-serif;max-width:900px"},C("button",{class:"step",click:()=>n.send({do:"step"})},"step")," ",C("button",{class:"settle",click:()=>n.send({do:"settle"})},"settle")," ",this.linking,C("span",{style:`color:${S.faint}`}," Drag to arrange; click a node for what it knows, an arrow to deliver its message."),this.error,C("div",{style:"display:grid;grid-template-columns:minmax(0,2fr) minmax(0,1fr);gap:12px"},this.picture,this.knowledge),this.log))}model;bodies=new Map;picture=P("svg",{viewBox:`0 0 ${G} ${U}`,width:"100%",style:"touch-action:none"});knowledge=C("pre",{class:"knowledge"});log=C("pre",{class:"log"});error=C("p",{role:"alert",style:`color:${S.lost}`});linking=C("button",{"aria-pressed":"false",click:()=>this.beginLink()},"link, part or move");chosen="";isLinking=!1;show(){let n=this.model.get("told");this.place(n);let e=[...this.links(n),...this.messages(n),...this.nodes(n)];this.picture.replaceChildren(P("defs",{},Jt()),...e),this.error.textContent=n.error,this.log.textContent=n.log.join(`
`);let r=n.brokers.find(({name:s})=>s===this.chosen),i=n.clients.find(({name:s})=>s===this.chosen),o=r?r.knows:i?[`at ${i.broker}`,`got: ${i.got.join(" ")||"nothing"}`]:[];this.knowledge.textContent=this.chosen?[this.chosen,...o].join(`
`):""}place(n){let e=[...n.brokers,...n.clients].map(({name:s})=>s),r=e.filter(s=>!this.bodies.has(s));if(!r.length)return;r.forEach((s,a)=>this.bodies.set(s,{name:s,x:G/2+40*Math.cos(a),y:U/2+40*Math.sin(a)}));let i=e.filter(s=>!r.includes(s)),o=e.map(s=>Object.assign(this.bodies.get(s),{fx:void 0,fy:void 0}));for(let s of i)Object.assign(this.bodies.get(s),{fx:this.bodies.get(s).x,fy:this.bodies.get(s).y});gt(o).force("links",ht(yt(n).map(([s,a])=>({source:s,target:a}))).id(({name:s})=>s).distance(70)).force("apart",pt().strength(-220)).force("near",ct(26)).force("x",dt(G/2).strength(.05)).force("y",vt(U/2).strength(.09)).stop().tick(300);for(let s of o)this.keepInside(s)}keepInside(n){n.x=Math.min(G-24,Math.max(24,n.x)),n.y=Math.min(U-24,Math.max(24,n.y))}line(n,e,r){let[i,o]=[this.bodies.get(n),this.bodies.get(e)];return P("line",{x1:i.x,y1:i.y,x2:o.x,y2:o.y,...r})}links(n){let e=new Set(n.clients.map(({name:r})=>r));return yt(n).map(([r,i])=>this.line(r,i,e.has(r)?{stroke:S.client,"stroke-dasharray":"3 3"}:{stroke:S.tree,"stroke-width":3}))}messages(n){return n.pending.filter(([e,r])=>e!==r&&this.bodies.has(e)&&this.bodies.has(r)).map(([e,r])=>{let i=this.line(e,r,{stroke:S.select,"stroke-width":5,"marker-end":"url(#head)",class:"message",style:"cursor:pointer"});return i.append(P("title",{},`deliver ${e} → ${r}`)),i.addEventListener("click",()=>this.model.send({do:"step link",one:e,other:r})),i})}nodes(n){return[...n.brokers.map(({name:r,isUp:i})=>this.node(r,"B",i)),...n.clients.map(({name:r,role:i})=>this.node(r,i,!0))]}node(n,e,r){let i=this.bodies.get(n),s={fill:r?e==="B"?S.tree:e==="S"?"#009E73":S.broken:S.ground,stroke:n===this.chosen?S.select:S.ink,"stroke-width":n===this.chosen?4:1},a=e==="B"?P("rect",{x:-11,y:-11,width:22,height:22,...s}):P("circle",{r:11,...s}),c=P("text",{y:25,"text-anchor":"middle","font-size":12,fill:S.ink},n),f=P("g",{transform:`translate(${i.x} ${i.y})`,class:"node","data-name":n,style:"cursor:grab"},a,c);return f.addEventListener("pointerdown",p=>this.drag(p,i)),f}drag(n,e){n.preventDefault();let r=G/this.picture.getBoundingClientRect().width,[i,o]=[e.x,e.y],s=!1,a=f=>{let[p,y]=[f.clientX-n.clientX,f.clientY-n.clientY];s||=Math.hypot(p,y)>4,[e.x,e.y]=[i+r*p,o+r*y],this.keepInside(e),this.show()},c=()=>{removeEventListener("pointermove",a),s||this.pick(e.name)};addEventListener("pointermove",a),addEventListener("pointerup",c,{once:!0})}beginLink(){this.isLinking=this.chosen!=="",this.linking.setAttribute("aria-pressed",String(this.isLinking)),this.error.textContent=this.isLinking?`Now click whom ${this.chosen} is linked with, parted from, or moved to.`:"First click a node."}pick(n){if(this.isLinking){this.isLinking=!1,this.linking.setAttribute("aria-pressed","false"),this.model.send({do:"link",one:this.chosen,other:n});return}this.chosen=n,this.show()}};function yt(t){return[...t.brokers.filter(({parent:e})=>e!==null).map(({name:e,parent:r})=>[e,r]),...t.clients.map(({name:e,broker:r})=>[e,r])]}function Jt(){return P("marker",{id:"head",viewBox:"0 0 10 10",refX:16,refY:5,markerWidth:4,markerHeight:4,orient:"auto"},P("path",{d:"M0 0L10 5L0 10z",fill:S.select}))}function Zt({model:t,el:n}){let e=new nt(t,n),r=()=>e.show();return r(),t.on("change:told",r),()=>t.off("change:told",r)}var gn={render:Zt};export{gn as default};
/*
Made from python/viewer, GPL-2.0-only. It has in it:

d3-array 3.2.5

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-color 3.1.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-dispatch 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-drag 3.0.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-ease 3.0.2

Copyright 2010-2026 Mike Bostock
Copyright 2001 Robert Penner
All rights reserved.

Redistribution and use in source and binary forms, with or without modification,
are permitted provided that the following conditions are met:

* Redistributions of source code must retain the above copyright notice, this
  list of conditions and the following disclaimer.

* Redistributions in binary form must reproduce the above copyright notice,
  this list of conditions and the following disclaimer in the documentation
  and/or other materials provided with the distribution.

* Neither the name of the author nor the names of contributors may be used to
  endorse or promote products derived from this software without specific prior
  written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR
ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
(INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON
ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.


d3-force 3.0.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-format 3.1.3

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-interpolate 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-polygon 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-quadtree 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-scale 4.0.3

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-selection 3.0.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-time 3.1.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-time-format 4.1.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-timer 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-transition 3.0.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


d3-zoom 3.0.1

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.


internmap 2.0.3

Copyright 2021 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
*/
